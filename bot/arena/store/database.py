"""The arena's SQLite file: how it is opened, read and written.

A write is on the disk when `Database.write` returns (WAL, synchronous=FULL). Other processes may
read and write the file at the same time, ordered by SQLite's locks. One thread writes
(`bot.arena.store.writer`) and another one reads, both with Python's sqlite3.

It shares with `bot.runtime.database`, the bot's SQLite files, how files are made private, how
versions are read and how transactions end. The rest differs on purpose. The bot writes a few small
rows and reports a failure to its caller at once; the arena has hundreds of writers at a time, which
wait while the disk is full. So the bot commits each change alone in one thread, and the arena
commits groups in one thread and reads in another.
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import (
    AbstractContextManager,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

import structlog

from bot.arena.store import schema
from bot.arena.store.writer import Work, Writer
from bot.errors import DataError, HostError
from bot.runtime.database import (
    DAMAGED,
    make_private,
    result_code,
    transaction,
    unusable,
    version_of,
)
from bot.runtime.files import held, made, make_file, note_of_holder, noted
from bot.runtime.service_manager import Pulse

FILE_NAME: Final = "arena.db"
LOCK_NAME: Final = "arena.lock"
BUSY_S: Final = 0.25
"""How long a statement waits for another program's lock; then `Writer` reports the trouble."""
OPEN_S: Final = 10.0
"""For how long opening is retried while another program has the file locked."""
RETRY_S: Final = 0.05
LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
REPAIR: Final = (
    "restore the file from a backup, or save what can be read with: "
    "sqlite3 arena.db .recover | sqlite3 repaired.db"
)
STOP_FIRST: Final = (
    "an arena of an older version runs on this data folder: "
    "stop the arena first, then start it with this version"
)

T = TypeVar("T")
Row = sqlite3.Row

log = structlog.get_logger()


def as_text(moment: datetime) -> str:
    """A moment as the tables store it: in UTC, so that texts sort like moments."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class Database:
    """An open database file; `open_database` makes one.

    `trouble` says why the file cannot be written now, and is None while it can. `on_trouble` is
    called with the new value at each change. `on_commit` is called in the thread that writes, with
    the seconds and the number of writes of each transaction.
    """

    def __init__(self, path: Path, patience_s: float | None) -> None:
        self.trouble: str | None = None
        self.on_trouble: Callable[[str | None], None] = lambda _why: None
        self.on_commit: Callable[[float, int], None] = lambda _seconds, _jobs: None
        self._path = path
        self._trouble_since = 0.0
        self._reader = _connect(path)
        self._reader.execute("PRAGMA query_only = ON")
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="arena-reader")
        self._writer = Writer(
            str(path),
            lambda: _connect(path),
            self._note_trouble,
            patience_s,
            lambda seconds, jobs: self.on_commit(seconds, jobs),
        )

    @property
    def waiting_jobs(self) -> int:
        """See `Writer.waiting_jobs`."""
        return self._writer.waiting_jobs

    @property
    def oldest_job_s(self) -> float:
        """See `Writer.oldest_job_s`."""
        return self._writer.oldest_job_s

    @property
    def pulse(self) -> Pulse:
        """The progress of the thread that writes."""
        return self._writer.pulse

    async def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run `query` in one read transaction and return its result.

        Raises HostError if the file cannot be read.
        """
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reading, _in_one_moment, self._reader, query)
        except sqlite3.DatabaseError as error:
            raise unusable(f"{self._path}: cannot be read: {error}; {REPAIR}", error) from error

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction and return its result once the transaction is on the disk.

        An exception of `work` undoes what it wrote and is raised here. `work` may run several
        times: it is repeated after a failed commit. While the file cannot be written, this waits;
        it raises HostError if the database was opened with `patience_s` and that time is over, and
        DataError if the file is damaged.
        """
        try:
            return await self._writer.write(work)
        except sqlite3.DatabaseError as error:
            if result_code(error) not in DAMAGED:
                raise
            message = f"{self._path}: cannot be written: {error}; {REPAIR}"
            raise unusable(message, error) from error

    def hurry(self) -> None:
        """Let writes that would wait for long fail with HostError, because the program stops."""
        self._writer.hurry()

    async def close(self) -> None:
        await self._writer.close()
        self._reading.shutdown(wait=True)
        self._reader.close()

    def _note_trouble(self, why: str | None) -> None:
        if why is not None:
            self._trouble_since = time.monotonic()
            log.error("store_cannot_write", file=str(self._path), why=why)
        elif self.trouble is not None:
            lasted_s = round(time.monotonic() - self._trouble_since, 1)
            log.warning("store_writes_again", file=str(self._path), lasted_s=lasted_s)
        self.trouble = why
        self.on_trouble(why)


@asynccontextmanager
async def open_database(
    folder: Path, patience_s: float | None = None, *, beside_arena: bool = False
) -> AsyncIterator[Database]:
    """Open the arena's database in a data folder, or create it.

    `patience_s` is for `Database.write`. `beside_arena` says that the caller does not hold the
    folder (`sole_user`), so that an arena of an older version may be running on it.

    Raises HostError if the folder cannot be written, or if the file's tables are out of date and
    an arena uses them; DataError if the file is damaged, or if a newer or a much older version of
    Bluestone made it.
    """
    path = folder / FILE_NAME
    made(folder)
    try:
        await asyncio.to_thread(_prepare, path, beside_arena)
        database = Database(path, patience_s)
    except sqlite3.Error as error:
        message = f"{path}: cannot be used as the arena's database: {error}"
        raise unusable(message, error) from error
    try:
        yield database
    finally:
        await database.close()


def sole_user(folder: Path) -> AbstractContextManager[None]:
    """Hold the data folder for one arena. Raises HostError if another arena holds it."""
    why_not = "another arena runs on this data folder; stop it, or choose another one"
    return held(folder, LOCK_NAME, why_not)


def address_noted(folder: Path, address: str) -> AbstractContextManager[None]:
    """Write the arena's address into the lock's file, for `address_of_arena`."""
    return noted(folder, LOCK_NAME, address)


def address_of_arena(folder: Path) -> str | None:
    """The address of the arena that runs on this data folder; None if none runs."""
    return note_of_holder(folder, LOCK_NAME)


def _connect(path: Path) -> sqlite3.Connection:
    # isolation_level=None: the driver begins no transactions; the code here begins and ends them.
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()
    return connection


def _in_one_moment(connection: sqlite3.Connection, query: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute("BEGIN")
    try:
        return query(connection)
    finally:
        connection.execute("COMMIT")


def _prepare(path: Path, beside_arena: bool) -> None:
    """Create the tables or bring them up to date. Raises HostError or sqlite3.Error."""
    try:
        make_private(path)
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error
    deadline = time.monotonic() + OPEN_S
    while True:
        try:
            with closing(_connect(path)) as connection:
                _bring_up_to_date(connection, path, beside_arena)
        except sqlite3.OperationalError as error:
            # Two programs may create the same file at once. While one of them switches to the
            # write-ahead log, SQLite fails in the other one instead of waiting.
            if result_code(error) not in LOCKED or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_S)
        else:
            return


def _bring_up_to_date(connection: sqlite3.Connection, path: Path, beside_arena: bool) -> None:
    connection.execute("PRAGMA foreign_keys = OFF")
    version = version_of(connection)
    check_version(version, path)
    if 0 < version < schema.VERSION and beside_arena:
        # A running arena of that version would not understand the new tables.
        with held(path.parent, LOCK_NAME, STOP_FIRST):
            _make_tables(connection, path)
    elif version < schema.VERSION:
        _make_tables(connection, path)
    if missing := schema.missing(connection):
        raise DataError(f"{path}: damaged, {', '.join(missing)} is missing; {REPAIR}")


def check_version(version: int, path: Path) -> None:
    """Raises DataError if this program cannot use tables of that version."""
    if version > schema.VERSION:
        raise DataError(
            f"{path}: made by a newer version of Bluestone (schema {version}, this version knows "
            f"{schema.VERSION}); update Bluestone, or choose another data folder"
        )
    if schema.is_too_old(version):
        raise DataError(
            f"{path}: made by a version of Bluestone before the first release (schema {version}, "
            f"this version needs {schema.VERSION}), which cannot be brought up to date; "
            "move the file away to start with an empty database, or choose another data folder"
        )


def _make_tables(connection: sqlite3.Connection, path: Path) -> None:
    with transaction(connection):
        version = version_of(connection)  # another program may have been faster
        if version == 0:
            schema.create(connection)
        elif version < schema.VERSION:
            with _copy_kept(path, path.with_name(f"arena-schema-{version}.db")):
                schema.migrate(connection, version)
        connection.execute(f"PRAGMA user_version = {schema.VERSION}")


@contextmanager
def _copy_kept(path: Path, target: Path) -> Iterator[None]:
    """Keep a copy of the file as it was before the change of its tables in the `with` block.

    No other program may write during that time. The copy gets its name once the change has
    succeeded. An existing copy of that name is left alone.
    """
    if target.exists():
        yield
        return
    unfinished = target.with_name(f"{target.name}.part")
    try:
        unfinished.unlink(missing_ok=True)  # of a start that was interrupted
        make_file(unfinished)
        # A separate connection sees the file without the open transaction.
        with closing(_connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
        yield
        unfinished.rename(target)
    except OSError as error:
        raise HostError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    log.info("database_copied", copy=str(target))
