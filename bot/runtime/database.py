"""A SQLite file of the bot: written in one thread, and reopened automatically after a failure.

When a method returns, its change is committed to disk and survives a power cut.
"""

# The file that comes back
#
# The problem. The journal promises that a turn is on the disk before it is sent. The disk may fill
# up, be remounted read-only, or lose the file for a while. The program must continue without a
# restart: it reads what it knows, sends nothing that it could not write, and writes again as soon
# as that is possible. SQLite blocks its thread at every call, and every call may fail.
#
# The idea.
#
# - One thread per file runs every statement. So there is one connection, statements keep their
#   order, no lock is needed, and the event loop never waits for the disk.
# - Each write is one transaction, with `synchronous = FULL`: `await` returns after the commit is on
#   the disk, or raises HostError and nothing was changed. The file does not retry a change. The
#   caller decides, since a turn may have become obsolete by then.
# - `WriteState` holds whether writing works. A failed write sets it. Callers wait for it instead of
#   asking the disk themselves, and the log has one line at the start of a failure and one at its
#   end.
# - During a failure, `keep_trying` reopens the file every second and writes 64 KiB to it, in two
#   transactions, then deletes them. A single small write may succeed on a full disk, in a page that
#   is free inside the file; the next turn would then fail again.
# - The old connection stays open until the new one has written, so the file can be read meanwhile.
# - The write-ahead log is truncated first and kept short in general: on a small disk the log itself
#   may fill the disk.
#
# Rejected:
#
# - A queue of changes that are written later. A caller would get an acknowledgement for a change
#   that a power cut can undo.
# - Retrying inside each call. Calls would pile up in the thread, and reads would wait behind them.
# - `synchronous = NORMAL`. It is faster, but a power cut may undo the last transactions.
# - aiosqlite. It has a thread per connection too, but neither the state of the file nor the
#   recovery.

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import ClassVar, Final, Self, TypeVar

import structlog

from bot.errors import DataError, HostError
from bot.runtime.files import close_to_others, make_file, make_folder
from bot.runtime.service_manager import Pulse
from bot.time_source import SystemTime, TimeSource

log = structlog.get_logger()


class WriteState:
    """Whether the file can be written.

    Logs once when writes start to fail, once when they recover.
    """

    def __init__(self, what: str, time_source: TimeSource) -> None:
        self.problem: str | None = None
        self._what = what
        self._time = time_source
        self._since = 0.0
        self._works = asyncio.Event()
        self._works.set()
        self._fails = asyncio.Event()

    def failed(self, why: object) -> None:
        begins = self.problem is None
        self.problem = f"{self._what}: cannot be written: {why}"
        self._works.clear()
        self._fails.set()
        if begins:
            self._since = self._time.monotonic()
            log.error("cannot_write", what=self._what, why=str(why))

    def worked(self) -> None:
        ends = self.problem is not None
        self.problem = None
        self._works.set()
        self._fails.clear()
        if ends:
            lasted_s = round(self._time.monotonic() - self._since, 1)
            log.warning("writes_again", what=self._what, lasted_s=lasted_s)

    async def until_works(self) -> None:
        await self._works.wait()

    async def until_fails(self) -> None:
        await self._fails.wait()


T = TypeVar("T")
Change = tuple[str, tuple[object, ...]]
"""A statement and its values."""

RETRY_S: Final = 1.0
"""Seconds between attempts to write a file that could not be written."""
DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary result codes of a damaged file: https://sqlite.org/rescode.html"""
BUSY_S: Final = 0.25
"""Seconds for which a statement waits for another program's lock before it fails."""

LOG_PAGES: Final = 128
"""Pages of 4 KiB after which the log is copied into the file and overwritten from its start.

On a small disk a longer log would leave no room for the copy.
"""
PROBE_BYTES: Final = 65_536
"""Bytes that must be writable before a file counts as writable again; more than any one change."""

# With `synchronous = NORMAL` a power cut would undo the last transactions.
_SETUP: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = {log_pages};
PRAGMA application_id = {application_id};
"""
# There are two transactions, because pages that are freed in the transaction that fills them are
# not written.
_PROBE: Final = """
CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, filler BLOB NOT NULL);
INSERT OR REPLACE INTO probe (id, filler) VALUES (1, zeroblob({size}));
DROP TABLE probe;
PRAGMA wal_checkpoint(RESTART);
"""


class FileDatabase:
    """A base class: each kind of file is a subclass with its tables and its statements.

    Every method returns once its change is on the disk, and raises HostError if it cannot be
    written. `writing` says whether the file can be written now.
    """

    NAME: ClassVar[str]
    """The name of the file in messages: "the NAME cannot be written"."""
    APPLICATION_ID: ClassVar[int]
    """The number by which tools such as file(1) recognise it."""
    VERSION: ClassVar[int]
    """The version of the tables, stored in the file as `user_version`."""
    TABLES: ClassVar[tuple[str, ...]]
    """Statements that create the tables of an empty file."""
    MIGRATIONS: ClassVar[Mapping[int, tuple[str, ...]]] = {}
    """Statements that turn the tables of a version into those of the next version."""

    def __init__(self, path: Path, thread: ThreadPoolExecutor, time_source: TimeSource) -> None:
        self.writing = WriteState(self.NAME, time_source)
        self.pulse = Pulse(self.NAME)
        self._path = path
        self._thread = thread
        self._time = time_source
        self._database: sqlite3.Connection | None = None

    @classmethod
    @asynccontextmanager
    async def opened(cls, path: Path, time_source: TimeSource | None = None) -> AsyncIterator[Self]:
        """Open or create the file. Raises HostError if that fails, including DataError."""
        with ThreadPoolExecutor(1, thread_name_prefix=cls.NAME) as thread:
            file = cls(path, thread, time_source or SystemTime())
            try:
                await file.open()
                trying = asyncio.create_task(file.keep_trying())
                try:
                    yield file
                finally:
                    trying.cancel()
                    await asyncio.wait({trying})
            finally:
                await file.close()

    async def open(self) -> None:
        """Raises HostError if the file can be neither opened nor created."""
        try:
            await self._in_thread(self._connect)
        except (OSError, sqlite3.Error) as error:
            message = f"{self._path}: the {self.NAME} cannot be opened: {error}"
            raise unusable(message, error) from error

    async def close(self) -> None:
        await self._in_thread(self._disconnect)

    async def keep_trying(self) -> None:
        """After each failed write, reopen the file until it can be written. Never returns."""
        while True:
            await self.writing.until_fails()
            await self._time.sleep(RETRY_S)
            try:
                await self._in_thread(self._recover)
            except (OSError, sqlite3.Error) as error:
                self.writing.failed(error)
            else:
                self.writing.worked()

    async def _write(self, *changes: Change) -> int:
        """Make all of the changes, or none. Return how many rows they changed. Raises HostError."""
        try:
            changed = await self._in_thread(lambda: self._commit(changes))
        except sqlite3.Error as error:
            self.writing.failed(error)
            raise HostError(f"the {self.NAME} cannot be written: {error}") from error
        self.writing.worked()
        return changed

    async def _read(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        try:
            return await self._in_thread(
                lambda: self._connected.execute(statement, values).fetchall()
            )
        except sqlite3.Error as error:
            raise unusable(f"the {self.NAME} cannot be read: {error}", error) from error

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._step, work)

    # ---- in the thread -----------------------------------------------------------------------

    def _step(self, work: Callable[[], T]) -> T:
        self.pulse.step()
        try:
            return work()
        finally:
            self.pulse.rest()

    @property
    def _connected(self) -> sqlite3.Connection:
        if self._database is None:
            raise sqlite3.OperationalError("there is no connection to the file")
        return self._database

    def _connect(self) -> None:
        """Open a new connection and write to it; if that fails, keep the former one."""
        make_folder(self._path.parent)
        make_private(self._path)
        database = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        self._disconnect()
        self._database = database

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Set up a new connection, create missing tables, migrate those of earlier versions.

        Raises sqlite3.Error, also for a file that this program cannot migrate. Such a file is left
        as it is.
        """
        self._check_version(database)
        database.executescript(
            _SETUP.format(application_id=self.APPLICATION_ID, log_pages=LOG_PAGES)
        )
        with transaction(database):
            version = version_of(database)
            statements = self.TABLES if version == 0 else ()
            while 0 < version < self.VERSION:
                statements += self.MIGRATIONS[version]
                version += 1
            for statement in statements:
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {self.VERSION}")

    def _check_version(self, database: sqlite3.Connection) -> None:
        """Raises sqlite3.NotSupportedError with instructions for the operator."""
        version = version_of(database)
        if version > self.VERSION:
            raise sqlite3.NotSupportedError(
                f"it was written by a later version of Bluestone (tables {version}, this program"
                f" knows {self.VERSION}); start that version"
            )
        is_known = all(step in self.MIGRATIONS for step in range(version, self.VERSION))
        is_new = version == 0 and not has_tables(database)
        if not (is_known or is_new):
            raise sqlite3.NotSupportedError(
                f"it was written by an earlier version of Bluestone (tables {version}, this program"
                f" needs {self.VERSION}); let its games end with that version, or move the file"
                " away and start again"
            )

    def _recover(self) -> None:
        """Reopen the file, and check that it has room for more than a page."""
        if self._database is not None:
            _give_room_back(self._database)
        self._connect()
        self._connected.executescript(_PROBE.format(size=PROBE_BYTES))

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
        self._database = None

    def _commit(self, changes: tuple[Change, ...]) -> int:
        database = self._connected
        with transaction(database):
            return sum(database.execute(*change).rowcount for change in changes)


def result_code(error: sqlite3.Error) -> int:
    """Return the primary result code of SQLite, without the bits of extended codes."""
    return (getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR) & 0xFF


def unusable(message: str, error: OSError | sqlite3.Error) -> HostError:
    """Return the error for a file that cannot be used: a DataError if no restart can help."""
    is_foreign = isinstance(error, sqlite3.NotSupportedError)
    is_damaged = isinstance(error, sqlite3.Error) and result_code(error) in DAMAGED
    return DataError(message) if is_foreign or is_damaged else HostError(message)


def make_private(path: Path) -> None:
    """Create the file if it is missing, and make it and its logs inaccessible to other users.

    Raises OSError. SQLite creates further files with the mode of the database's file.
    """
    make_file(path)
    for end in ("-wal", "-shm"):
        close_to_others(path.with_name(path.name + end))


def version_of(database: sqlite3.Connection) -> int:
    """Return the version of the tables in a file; 0 if the file is still empty."""
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def has_tables(database: sqlite3.Connection) -> bool:
    """Return whether the file has any table."""
    tables = "SELECT 1 FROM sqlite_master WHERE type = 'table'"
    return database.execute(tables).fetchone() is not None


def _give_room_back(database: sqlite3.Connection) -> None:
    """Truncate the log, which may hold each page many times and so fill the disk."""
    with suppress(sqlite3.Error):
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run the block in one transaction, on a connection in autocommit mode."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
            database.execute("ROLLBACK")
        raise
