"""The arena's SQLite file: its tables, how it is opened, and one writer at a time.

A write is on the disk when `Database.write` is left (WAL, synchronous=FULL). Other processes may
read and write the file meanwhile: SQLite's own locks order them.
"""

import asyncio
import fcntl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import stamina
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    event,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from bot.errors import HostError

SCHEMA_VERSION: Final = 1
FILE_NAME: Final = "arena.db"
LOCK_NAME: Final = "arena.lock"
BUSY_TIMEOUT_MS: Final = 10_000

metadata = MetaData()

accounts = Table(
    "accounts",
    metadata,
    Column("name", String, primary_key=True),
    Column("folded_name", String, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    # The SHA-256 of a bot's token or of a guest's key: 256 random bits need no slow hash.
    Column("secret_hash", String, unique=True),
    Column("engine", String),
    Column("created_at", String, nullable=False),
    Column("seen_at", String, nullable=False),
)

games = Table(
    "games",
    metadata,
    Column("id", String, primary_key=True),
    Column("setup", Text, nullable=False),
    Column("players", Text, nullable=False),
    Column("player_1", ForeignKey("accounts.name", onupdate="CASCADE"), nullable=False),
    Column("player_2", ForeignKey("accounts.name", onupdate="CASCADE"), nullable=False),
    Column("running", Boolean, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("draw_offer", Integer),
    Column("banked_ms", Integer, nullable=False),
    Column("thinking_since", String),
    Column("result", Text),
    Column("created_at", String, nullable=False),
    Column("ended_at", String),
    Column("record", Text),
    Index("games_running", "running"),
    Index("games_ended", "ended_at"),
)

turns = Table(
    "turns",
    metadata,
    Column("game_id", ForeignKey("games.id"), nullable=False),
    Column("ply", Integer, nullable=False),
    Column("played", Text, nullable=False),
    PrimaryKeyConstraint("game_id", "ply"),
)

facts = Table(
    "facts",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", String, nullable=False),
)


def as_text(moment: datetime) -> str:
    """A moment as the tables keep it: in UTC, so that later is greater as text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class Database:
    """An open database file; make one with `open_database`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._writing = asyncio.Lock()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection that sees one moment of the database."""
        async with self._engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: on the disk when left, undone if an exception leaves it."""
        async with self._writing, self._engine.connect() as connection:
            writing = await connection.execution_options(arena_write=True)
            async with writing.begin():
                yield writing

    async def close(self) -> None:
        await self._engine.dispose()


@asynccontextmanager
async def open_database(folder: Path) -> AsyncIterator[Database]:
    """The arena's database in a data folder, made if it is not there.

    Raises HostError if the folder cannot be written, or if a newer program made the file.
    """
    path = folder / FILE_NAME
    _make(folder)
    engine = create_async_engine(f"sqlite+aiosqlite:///{path.absolute()}")
    event.listen(engine.sync_engine, "connect", _on_connect)
    event.listen(engine.sync_engine, "begin", _on_begin)
    database = Database(engine)
    try:
        await _prepare_or_say_why(database, path)
        yield database
    finally:
        await database.close()


@contextmanager
def sole_user(folder: Path) -> Iterator[None]:
    """Holds the data folder for one arena; HostError if another one runs on it."""
    _make(folder)
    with (folder / LOCK_NAME).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HostError(
                f"{folder}: another arena runs on this data folder; stop it, or choose another one"
            ) from error
        yield


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostError(f"{folder}: the data folder cannot be made: {error.strerror}") from error


async def _prepare_or_say_why(database: Database, path: Path) -> None:
    try:
        await _prepare(database, path)
    except DBAPIError as error:
        raise HostError(f"{path}: cannot be used as the arena's database: {error.orig}") from error


def _is_locked(error: Exception) -> bool:
    return isinstance(error, OperationalError) and "locked" in str(error.orig)


# Two programs that make the same file at once: SQLite does not wait while one of them turns on
# its write-ahead log, it fails.
@stamina.retry(on=_is_locked, attempts=None, timeout=BUSY_TIMEOUT_MS / 1000, wait_max=0.5)
async def _prepare(database: Database, path: Path) -> None:
    async with database.write() as connection:
        version = (await connection.exec_driver_sql("PRAGMA user_version")).scalar_one()
        if version > SCHEMA_VERSION:
            raise HostError(
                f"{path}: made by a newer version of this program (schema {version}, "
                f"this one knows {SCHEMA_VERSION}); update it, or choose another data folder"
            )
        if version == 0:
            await connection.run_sync(metadata.create_all)
            await connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _on_connect(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    # The driver must not begin transactions by itself: `_on_begin` does, in the right mode.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _on_begin(connection: Connection) -> None:
    # A transaction that reads first and writes later would fail, not wait, where another process
    # has written in between; so a writer takes its lock at the beginning.
    writes = connection.get_execution_options().get("arena_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
