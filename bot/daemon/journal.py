"""What the bot has promised and not yet done, kept so that a crash forgets nothing.

One row is one turn that is ours to play: accepted, then chosen (with the turn), then done.
The rows of a game stay until its record is written, and hold what the engine said meanwhile.
"""

import json
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from bot.platforms.base import TurnInfo
from bot.runtime.database import Database
from bot.time_source import TimeSource

State = Literal["accepted", "chosen", "done"]

_TABLES: Final = """
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


class Journal(Database):
    """What was promised on all platforms, by label, game and ply."""

    NAME = "journal"
    APPLICATION_ID = 0x426C756A
    TABLES = _TABLES

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


def open_journal(
    path: Path, time_source: TimeSource | None = None
) -> AbstractAsyncContextManager[Journal]:
    """The journal in that file, made if it is not there. Raises HostError if that fails."""
    return Journal.opened(path, time_source)


def _chosen(turn: object, info: object) -> Chosen:
    fields = json.loads(str(info))
    return Chosen(str(turn), TurnInfo(**{**fields, "pv": tuple(fields["pv"])}))
