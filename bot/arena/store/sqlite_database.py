"""The arena's SQLite file: how it is opened, read and written.

A commit is on the disk when it returns (WAL, synchronous=FULL). Other processes may read and write
the file at the same time, ordered by SQLite's locks.

It shares with `bot.runtime.database`, the bot's SQLite files, how files are made private, how
versions are read and how transactions end. The rest differs on purpose. The bot writes a few small
rows and reports a failure to its caller at once; the arena has hundreds of writers at a time, which
wait while the disk is full. So the bot commits each change alone in one thread, and the arena
commits groups in one thread and reads in another.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

import structlog

from bot.arena.store import schema
from bot.arena.store.connection import Connection, ErrorVerdict, Query
from bot.arena.store.data_folder import STOP_FIRST, sole_user
from bot.arena.store.database import OPEN_S
from bot.arena.store.tables import SQLITE, all_columns
from bot.errors import DataError, HostError
from bot.runtime.database import (
    DAMAGED,
    make_private,
    result_code,
    transaction,
    unusable,
    version_of,
)
from bot.runtime.files import make_file

FILE_NAME: Final = "arena.db"
BUSY_S: Final = 0.25
"""How long a statement waits for another program's lock; then `Writer` reports the trouble."""
RETRY_S: Final = 0.05
LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
REPAIR: Final = (
    "restore the file from a backup, or save what can be read with: "
    "sqlite3 arena.db .recover | sqlite3 repaired.db"
)

# Primary result codes after which the same work may succeed: https://sqlite.org/rescode.html
_LATER: Final = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PROTOCOL,
)
_RECONNECT: Final = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_VERDICTS: Final = (
    dict.fromkeys(_LATER, ErrorVerdict.LATER)
    | dict.fromkeys(_RECONNECT, ErrorVerdict.RECONNECT)
    | dict.fromkeys(DAMAGED, ErrorVerdict.DAMAGED)
)

T = TypeVar("T")

log = structlog.get_logger()


class SqliteDriver:
    """The file of that path, whose tables `prepare` has made."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path

    def connect(self) -> sqlite3.Connection:
        return _connect(self._path)

    def reader(
        self,
        patience_s: float | None,  # noqa: ARG002 - readers of a file do not wait
    ) -> "SqliteReader":
        return SqliteReader(self._path)

    def transaction(
        self,
        connection: Connection,
        run: Callable[[], T],
        *,
        is_repeatable: bool,  # noqa: ARG002 - a statement costs no time on the way to the file
    ) -> T:
        """See `Driver`."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            outcome = run()
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite may have rolled back already
                connection.execute("ROLLBACK")
            raise
        return outcome

    def is_fenced(self, _error: Exception) -> bool:
        """See `Driver`. A file has one process, so that no statement is fenced."""
        return False

    def judge(self, error: Exception) -> ErrorVerdict:
        code = result_code(error) if isinstance(error, sqlite3.Error) else None
        return (
            ErrorVerdict.WORK_FAILED
            if code is None
            else _VERDICTS.get(code, ErrorVerdict.WORK_FAILED)
        )

    def failure(self, what: str, error: Exception) -> HostError:
        """See `Driver`."""
        message = f"{self.name}: {what}: {error}"
        if not isinstance(error, sqlite3.Error):
            return HostError(message)
        if what == "cannot be read" or self.judge(error) is ErrorVerdict.DAMAGED:
            message += f"; {REPAIR}"
        return unusable(message, error)


class SqliteReader:
    """A connection to the file that cannot change it."""

    def __init__(self, path: Path) -> None:
        self._connection = _connect(path)
        self._connection.execute("PRAGMA query_only = ON")

    def read(self, query: Query[T]) -> T:
        """See `bot.arena.store.connection.Reader`."""
        self._connection.execute("BEGIN")
        try:
            return query(self._connection)
        finally:
            self._connection.execute("COMMIT")

    def hurry(self) -> None:
        """No read waits."""

    def close(self) -> None:
        self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    # isolation_level=None: the driver begins no transactions; the code here begins and ends them.
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()
    return connection


def prepare(path: Path, *, beside_arena: bool) -> None:
    """Create the tables or bring them up to date.

    Raises HostError if the folder cannot be written, or if the file's tables are out of date and
    an arena uses them; DataError if the file is damaged, or if a newer or a much older version of
    Bluestone made it; sqlite3.Error.
    """
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


def columns_in(connection: sqlite3.Connection) -> dict[str, set[str]]:
    """The columns that the file has, by their tables."""
    return {
        table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        for table in all_columns()
    }


def _bring_up_to_date(connection: sqlite3.Connection, path: Path, beside_arena: bool) -> None:
    connection.execute("PRAGMA foreign_keys = OFF")
    version = version_of(connection)
    schema.check_version(version, str(path))
    if 0 < version < schema.VERSION and beside_arena:
        # A running arena of that version would not understand the new tables.
        with sole_user(path.parent, STOP_FIRST):
            _make_tables(connection, path)
    elif version < schema.VERSION or schema.absent(columns_in(connection)):
        _make_tables(connection, path)
    if missing := schema.missing(columns_in(connection)):
        raise DataError(f"{path}: damaged, {', '.join(missing)} is missing; {REPAIR}")


def _make_tables(connection: sqlite3.Connection, path: Path) -> None:
    with transaction(connection):
        version = version_of(connection)  # another program may have been faster
        if version == 0:
            schema.create(connection, SQLITE)
        elif version < schema.VERSION:
            with _copy_kept(path, path.with_name(f"arena-schema-{version}.db")):
                schema.migrate(connection, version, SQLITE)
        schema.add_absent(connection, SQLITE, columns_in(connection))
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
