"""The arena's SQLite file: how it is opened, read and written.

A write is on the disk when `Database.write` returns (WAL, synchronous=FULL). Other processes may
read and write the file meanwhile: SQLite's own locks order them. The library is Python's own
sqlite3, in two threads: `bot.arena.store.writer`, and one that reads.
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
from typing import Any, Final, TypeVar

import structlog

from bot.arena.store import schema
from bot.arena.store.writer import Work, Writer, result_code
from bot.errors import HostError
from bot.runtime.files import (
    close_to_others,
    held,
    made,
    make_file,
    note_of_holder,
    noted,
)

FILE_NAME: Final = "arena.db"
LOCK_NAME: Final = "arena.lock"
BUSY_S: Final = 0.25
"""How long a statement waits for another program; then `Writer` knows that there is trouble."""
OPEN_S: Final = 10.0
RETRY_S: Final = 0.05
ANOTHER_AT_IT: Final = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
)
REPAIR: Final = (
    "restore the file from a backup, or save what can be read with: "
    "sqlite3 arena.db .recover | sqlite3 repaired.db"
)
STOP_FIRST: Final = (
    "an arena of an earlier version runs on this data folder: "
    "stop the arena first, then start it with this version"
)

T = TypeVar("T")
Row = sqlite3.Row

log = structlog.get_logger()


def as_text(moment: datetime) -> str:
    """A moment as the tables keep it: in UTC, so that later is greater as text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class Database:
    """An open database file; make one with `open_database`.

    `trouble` says why nothing can be written at present; `on_trouble` is called with it at each
    change.
    """

    def __init__(self, path: Path, patience_s: float | None) -> None:
        self.trouble: str | None = None
        self.on_trouble: Callable[[str | None], None] = lambda _why: None
        self._path = path
        self._trouble_since = 0.0
        self._reader = _connect(path)
        self._reader.execute("PRAGMA query_only = ON")
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="arena-reader")
        self._writer = Writer(str(path), lambda: _connect(path), self._note_trouble, patience_s)

    async def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """What `query` finds; it sees one moment of the database. Raises HostError."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reading, _in_one_moment, self._reader, query)
        except sqlite3.DatabaseError as error:
            raise HostError(f"{self._path}: cannot be read: {error}; {REPAIR}") from error

    async def write(self, work: Work[T]) -> T:
        """What `work` returns, once what it wrote is on the disk.

        What it raises undoes what it wrote; it may be run again when it could not be written.
        While nothing can be written this waits, unless the database was opened with a patience:
        then it raises HostError.
        """
        return await self._writer.write(work)

    def hurry(self) -> None:
        """The end is near: writes that have to wait for long fail with HostError."""
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
    """The arena's database in a data folder, made if it is not there.

    `beside_arena`: the caller does not hold the folder (`sole_user`), so an arena of an earlier
    version may run on it. Raises HostError if the folder cannot be written, if the file is damaged
    or was made by a newer program, or if it has to be brought up to date beneath a running arena.
    """
    path = folder / FILE_NAME
    made(folder)
    try:
        await asyncio.to_thread(_prepare, path, beside_arena)
        database = Database(path, patience_s)
    except sqlite3.Error as error:
        raise HostError(f"{path}: cannot be used as the arena's database: {error}") from error
    try:
        yield database
    finally:
        await database.close()


def sole_user(folder: Path) -> AbstractContextManager[None]:
    """Holds the data folder for one arena; HostError if another one runs on it."""
    why_not = "another arena runs on this data folder; stop it, or choose another one"
    return held(folder, LOCK_NAME, why_not)


def address_noted(folder: Path, address: str) -> AbstractContextManager[None]:
    """Says beside the lock where people reach the arena that holds the folder."""
    return noted(folder, LOCK_NAME, address)


def address_of_arena(folder: Path) -> str | None:
    """Where people reach the arena that runs on this data folder; None if none does."""
    return note_of_holder(folder, LOCK_NAME)


def _connect(path: Path) -> sqlite3.Connection:
    # The driver must not begin transactions by itself: what one is, is said here.
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
    """Make the tables, or bring them up to date; raises HostError or sqlite3.Error."""
    _close_to_others(path)
    deadline = time.monotonic() + OPEN_S
    while True:
        try:
            with closing(_connect(path)) as connection:
                _bring_up_to_date(connection, path, beside_arena)
        except sqlite3.OperationalError as error:
            # Two programs that make the same file at once: SQLite does not wait while one of them
            # turns on its write-ahead log, it fails.
            if result_code(error) not in ANOTHER_AT_IT or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_S)
        else:
            return


def _close_to_others(path: Path) -> None:
    """SQLite gives its other files the mode that the file itself has."""
    try:
        make_file(path)
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error
    for end in ("-wal", "-shm"):
        close_to_others(path.with_name(path.name + end))


def _bring_up_to_date(connection: sqlite3.Connection, path: Path, beside_arena: bool) -> None:
    connection.execute("PRAGMA foreign_keys = OFF")
    version = _version(connection)
    if version > schema.VERSION:
        raise HostError(
            f"{path}: made by a newer version of this program (schema {version}, "
            f"this one knows {schema.VERSION}); update it, or choose another data folder"
        )
    if 0 < version < schema.VERSION and beside_arena:
        # An arena of that version would find other tables than it knows.
        with held(path.parent, LOCK_NAME, STOP_FIRST):
            _make_tables(connection, path)
    elif version < schema.VERSION:
        _make_tables(connection, path)
    if missing := schema.missing(connection):
        raise HostError(f"{path}: damaged, {', '.join(missing)} is missing; {REPAIR}")


def _make_tables(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    with _undone_on_error(connection):
        version = _version(connection)  # another program may have been quicker
        if version == 0:
            schema.create(connection)
        elif version < schema.VERSION:
            with _copy_kept(path, path.with_name(f"arena-schema-{version}.db")):
                schema.migrate(connection, version)
        connection.execute(f"PRAGMA user_version = {schema.VERSION}")
        connection.execute("COMMIT")


@contextmanager
def _undone_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    version: Any = connection.execute("PRAGMA user_version").fetchone()[0]
    return int(version)


@contextmanager
def _copy_kept(path: Path, target: Path) -> Iterator[None]:
    """The file as it was before its tables change, in case that somebody wants to go back.

    Nobody else may write meanwhile. The copy gets its name once the change has worked out, and
    never takes the place of one that is there already.
    """
    if target.exists():
        yield
        return
    unfinished = target.with_name(f"{target.name}.part")
    try:
        unfinished.unlink(missing_ok=True)  # of a start that was cut short
        make_file(unfinished)
        # By a connection of its own, which sees the file without the transaction that is open.
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
