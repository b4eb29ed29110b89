"""What the bot has promised and not yet done, kept so that a crash forgets nothing.

One row is one turn that is ours to play: accepted, then chosen (with the turn), then done.
The rows of a game stay until its record is written, and hold what the engine said meanwhile.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

from bot.daemon.write_state import WriteState
from bot.errors import HostError
from bot.platforms.base import TurnInfo
from bot.runtime.private_files import close_to_others, make_file, make_folder
from bot.time_source import SystemTime, TimeSource

T = TypeVar("T")
Change = tuple[str, tuple[object, ...]]
"""A statement and its values."""

State = Literal["accepted", "chosen", "done"]

RETRY_S: Final = 1.0
"""How often a journal that could not be written is tried again."""
BUSY_S: Final = 0.25
"""How long a statement waits for another program; then it counts as not to be written."""

# A row that the operating system has is safe from kill -9. WAL with `synchronous = NORMAL` may
# lose the last rows in a power cut; the server refuses a second, different turn for a ply.
_SETUP: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA application_id = 0x426C756A;
CREATE TABLE IF NOT EXISTS work (
    platform TEXT NOT NULL,
    game TEXT NOT NULL,
    ply INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('accepted', 'chosen', 'done')),
    turn TEXT,
    info TEXT,
    PRIMARY KEY (platform, game, ply)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    platform TEXT NOT NULL,
    game TEXT NOT NULL,
    PRIMARY KEY (platform, game)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class WorkKey:
    """One turn of ours: the platform's label in the settings, the game's id, the ply."""

    platform: str
    game: str
    ply: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """A turn that was chosen for a ply, and that alone may be sent for it."""

    turn: str
    info: TurnInfo


class Journal:
    """Every method returns once what it did is on the disk, and raises HostError if it cannot be.

    `writing` tells whether it can; while it cannot, it is tried again by itself.
    """

    def __init__(self, path: Path, thread: ThreadPoolExecutor, time_source: TimeSource) -> None:
        self.writing = WriteState("journal", time_source)
        self._path = path
        self._thread = thread
        self._time = time_source
        self._database: sqlite3.Connection | None = None

    async def begin(self, platform: str, game: str) -> None:
        """Note that we play in a game; again does no harm."""
        await self._write(
            ("INSERT OR IGNORE INTO games (platform, game) VALUES (?, ?)", (platform, game))
        )

    async def accept(self, key: WorkKey) -> None:
        """Note that a turn is ours to play; again does no harm."""
        statement = (
            "INSERT OR IGNORE INTO work (platform, game, ply, state) VALUES (?, ?, ?, 'accepted')"
        )
        await self._write((statement, (key.platform, key.game, key.ply)))

    async def choose(self, key: WorkKey, chosen: Chosen) -> Chosen:
        """Settle the turn for a ply; returns the one that stands, which may be an earlier one."""
        statement = (
            "INSERT INTO work (platform, game, ply, state, turn, info)"
            " VALUES (?, ?, ?, 'chosen', ?, ?)"
            " ON CONFLICT DO UPDATE SET state = 'chosen', turn = excluded.turn,"
            " info = excluded.info WHERE turn IS NULL"
        )
        info = json.dumps(asdict(chosen.info))
        await self._write((statement, (key.platform, key.game, key.ply, chosen.turn, info)))
        standing = await self.chosen(key)
        assert standing is not None
        return standing

    async def chosen(self, key: WorkKey) -> Chosen | None:
        """The turn that was chosen for a ply, whether it was confirmed or not."""
        rows = await self._read(
            "SELECT turn, info FROM work"
            " WHERE platform = ? AND game = ? AND ply = ? AND turn IS NOT NULL",
            (key.platform, key.game, key.ply),
        )
        return next((_chosen(turn, info) for turn, info in rows), None)

    async def confirm(self, platform: str, game: str, plies: int) -> None:
        """The server shows that many turns: ours among them are done, played or not."""
        statement = (
            "UPDATE work SET state = 'done'"
            " WHERE platform = ? AND game = ? AND ply < ? AND state <> 'done'"
        )
        await self._write((statement, (platform, game, plies)))

    async def turns(self, platform: str, game: str) -> dict[int, Chosen]:
        """Our turns of a game by ply."""
        rows = await self._read(
            "SELECT ply, turn, info FROM work"
            " WHERE platform = ? AND game = ? AND turn IS NOT NULL ORDER BY ply",
            (platform, game),
        )
        return {int(str(ply)): _chosen(turn, info) for ply, turn, info in rows}

    async def games(self, platform: str) -> set[str]:
        """Games that were begun and whose record has not been written."""
        rows = await self._read("SELECT game FROM games WHERE platform = ?", (platform,))
        return {str(game) for (game,) in rows}

    async def forget(self, platform: str, game: str) -> None:
        """A game's record is written, or will never be."""
        await self._write(
            ("DELETE FROM work WHERE platform = ? AND game = ?", (platform, game)),
            ("DELETE FROM games WHERE platform = ? AND game = ?", (platform, game)),
        )

    # ---- the file ----------------------------------------------------------------------------

    async def open(self) -> None:
        """Raises HostError if there can be no journal in that file."""
        try:
            await self._in_thread(self._connect)
        except (OSError, sqlite3.Error) as error:
            raise HostError(f"{self._path}: the journal cannot be opened: {error}") from error

    async def close(self) -> None:
        await self._in_thread(self._disconnect)

    async def keep_trying(self) -> None:
        """Whenever the journal could not be written, try again until it can; never ends."""
        while True:
            await self.writing.until_fails()
            await self._time.sleep(RETRY_S)
            try:
                await self._in_thread(self._connect)
            except (OSError, sqlite3.Error) as error:
                self.writing.failed(error)
            else:
                self.writing.worked()

    async def _write(self, *changes: Change) -> None:
        try:
            await self._in_thread(lambda: self._commit(changes))
        except sqlite3.Error as error:
            self.writing.failed(error)
            raise HostError(f"the journal cannot be written: {error}") from error
        self.writing.worked()

    async def _read(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        try:
            return await self._in_thread(
                lambda: self._connected.execute(statement, values).fetchall()
            )
        except sqlite3.Error as error:
            raise HostError(f"the journal cannot be read: {error}") from error

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # ---- in the thread -----------------------------------------------------------------------

    @property
    def _connected(self) -> sqlite3.Connection:
        if self._database is None:
            raise sqlite3.OperationalError("there is no connection to the file")
        return self._database

    def _connect(self) -> None:
        """Open the file anew and write to it, which shows that it can be written.

        If it cannot, it goes on being read.
        """
        make_folder(self._path.parent)
        make_file(self._path)
        for end in ("-wal", "-shm"):  # new ones get the mode of the file itself
            close_to_others(self._path.with_name(self._path.name + end))
        database = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None)
        try:
            database.executescript(_SETUP)
        except BaseException:
            database.close()
            raise
        self._disconnect()
        self._database = database

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
        self._database = None

    def _commit(self, changes: tuple[Change, ...]) -> None:
        database = self._connected
        with _transaction(database):
            for statement, values in changes:
                database.execute(statement, values)


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite may have rolled back by itself
            database.execute("ROLLBACK")
        raise


@asynccontextmanager
async def open_journal(path: Path, time_source: TimeSource | None = None) -> AsyncIterator[Journal]:
    """The journal in that file, made if it is not there. Raises HostError if that fails."""
    with ThreadPoolExecutor(1, thread_name_prefix="journal") as thread:
        journal = Journal(path, thread, time_source or SystemTime())
        try:
            await journal.open()
            trying = asyncio.create_task(journal.keep_trying())
            try:
                yield journal
            finally:
                trying.cancel()
                await asyncio.wait({trying})
        finally:
            await journal.close()


def _chosen(turn: object, info: object) -> Chosen:
    fields = json.loads(str(info))
    return Chosen(str(turn), TurnInfo(**{**fields, "pv": tuple(fields["pv"])}))
