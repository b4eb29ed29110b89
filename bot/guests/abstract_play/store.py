"""The facts about Abstract Play that a bot needs after a crash, committed to disk before they
count.

The platform announces a turn once, and the end of a game never. So the store keeps each notice and
each game until it is handled, the turn that is being sent, and the pauses that the platform
requests.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.guests.abstract_play.signatures import REMEMBERED
from bot.runtime.database import Change, FileDatabase

REMEMBERED_OVER: Final = timedelta(days=30)
VERSION: Final = 1
"""The version of the tables; `FileDatabase` stores it in the file."""

# Moments are seconds since 1970. A notice is one game at one number of plies, no matter how often
# it arrives. It is done when the daemon has that state of the game, or a later one.
_TABLES: Final = (
    """
CREATE TABLE IF NOT EXISTS nonces (
    nonce TEXT PRIMARY KEY NOT NULL,
    seen_at REAL NOT NULL
) WITHOUT ROWID
    """,
    """
CREATE TABLE IF NOT EXISTS notices (
    game TEXT NOT NULL,
    plies INTEGER NOT NULL,
    meta TEXT NOT NULL,
    received_at REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'done')),
    PRIMARY KEY (game, plies)
) WITHOUT ROWID
    """,
    """
CREATE TABLE IF NOT EXISTS games (
    game TEXT PRIMARY KEY NOT NULL,
    meta TEXT NOT NULL,
    first_seen REAL NOT NULL,
    over_at REAL
) WITHOUT ROWID
    """,
    """
CREATE TABLE IF NOT EXISTS sent (
    game TEXT PRIMARY KEY NOT NULL,
    ply INTEGER NOT NULL,
    turn TEXT NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID
    """,
    """
CREATE TABLE IF NOT EXISTS waits (
    what TEXT PRIMARY KEY NOT NULL,
    not_before REAL NOT NULL
) WITHOUT ROWID
    """,
)


@dataclass(frozen=True, slots=True)
class Notice:
    """A game of `meta_game` had `plies` plies when the platform announced it."""

    game_id: str
    meta_game: str
    plies: int
    received_at: datetime


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A game of ours, running or over."""

    game_id: str
    meta_game: str
    first_seen: datetime
    is_over: bool


@dataclass(frozen=True, slots=True)
class Sent:
    """A turn that may have been played, or may still be."""

    ply: int
    turn: str
    at: datetime


class Store(FileDatabase):
    """The store of one bot on one stage."""

    NAME = "store of Abstract Play"
    APPLICATION_ID = 0x426C7541
    VERSION = VERSION
    TABLES = _TABLES

    # ---- nonces of calls -----------------------------------------------------------------------

    async def keep_nonce(self, nonce: str, now: datetime) -> None:
        """Store a nonce, and delete those that are too old to be replayed."""
        await self._write(
            ("DELETE FROM nonces WHERE seen_at < ?", (_seconds(now - REMEMBERED),)),
            (
                "INSERT OR REPLACE INTO nonces (nonce, seen_at) VALUES (?, ?)",
                (nonce, _seconds(now)),
            ),
        )

    async def nonces(self) -> dict[str, datetime]:
        """Return the nonces, oldest first."""
        rows = await self._read("SELECT nonce, seen_at FROM nonces ORDER BY seen_at", ())
        return {str(nonce): _moment(at) for nonce, at in rows}

    # ---- notices -------------------------------------------------------------------------------

    async def note(self, notice: Notice) -> None:
        """Store a notice and its game. A second call changes nothing."""
        statement = (
            "INSERT OR IGNORE INTO notices (game, plies, meta, received_at, state)"
            " VALUES (?, ?, ?, ?, 'open')"
        )
        values = (notice.game_id, notice.plies, notice.meta_game, _seconds(notice.received_at))
        await self._write(
            _remembered(notice.game_id, notice.meta_game, notice.received_at), (statement, values)
        )

    async def open_notices(self) -> list[Notice]:
        """Return the notices that are not handled yet, oldest first."""
        rows = await self._read(
            "SELECT game, meta, plies, received_at FROM notices WHERE state = 'open'"
            " ORDER BY received_at, game, plies",
            (),
        )
        return [Notice(str(game), str(meta), _whole(n), _moment(at)) for game, meta, n, at in rows]

    async def settle(self, game_id: str, plies: int) -> None:
        """Mark notices up to that ply as handled."""
        statement = "UPDATE notices SET state = 'done' WHERE game = ? AND plies <= ?"
        await self._write((statement, (game_id, plies)))

    # ---- games ---------------------------------------------------------------------------------

    async def note_game(self, game_id: str, meta_game: str, now: datetime) -> None:
        """Store a running game. One that was marked as over is marked as running again."""
        runs = "UPDATE games SET over_at = NULL WHERE game = ? AND over_at IS NOT NULL"
        await self._write(_remembered(game_id, meta_game, now), (runs, (game_id,)))

    async def games(self) -> dict[str, KnownGame]:
        """Return the known games by id. Finished ones are kept for `REMEMBERED_OVER`."""
        rows = await self._read("SELECT game, meta, first_seen, over_at FROM games", ())
        return {
            str(game): KnownGame(str(game), str(meta), _moment(first), over is not None)
            for game, meta, first, over in rows
        }

    async def note_over(self, game_id: str, now: datetime) -> None:
        """Mark a game as over. It stays known, since its record may need another read."""
        over = "UPDATE games SET over_at = ? WHERE game = ?"
        await self._write(
            (over, (_seconds(now), game_id)),
            ("DELETE FROM notices WHERE game = ?", (game_id,)),
            ("DELETE FROM sent WHERE game = ?", (game_id,)),
            ("DELETE FROM games WHERE over_at < ?", (_seconds(now - REMEMBERED_OVER),)),
        )

    # ---- turns on their way --------------------------------------------------------------------

    async def sending(self, game_id: str, sent: Sent) -> None:
        """Store that a turn is about to be sent; from now on it may have been played."""
        statement = "INSERT OR REPLACE INTO sent (game, ply, turn, at) VALUES (?, ?, ?, ?)"
        await self._write((statement, (game_id, sent.ply, sent.turn, _seconds(sent.at))))

    async def sent(self, game_id: str) -> Sent | None:
        """Return the last turn whose result is unknown; None if there is none."""
        rows = await self._read("SELECT ply, turn, at FROM sent WHERE game = ?", (game_id,))
        return next((Sent(_whole(ply), str(turn), _moment(at)) for ply, turn, at in rows), None)

    async def settled(self, game_id: str) -> None:
        """Store that the result of the turn is known."""
        await self._write(("DELETE FROM sent WHERE game = ?", (game_id,)))

    # ---- pauses that the platform asks for -----------------------------------------------------

    async def hold_back(self, what: str, until: datetime) -> None:
        """Send nothing of that kind before that moment. The last call counts."""
        statement = "INSERT OR REPLACE INTO waits (what, not_before) VALUES (?, ?)"
        await self._write((statement, (what, _seconds(until))))

    async def not_before(self, what: str) -> datetime | None:
        """Return the end of the last pause for that kind; None if the platform never
        requested one.
        """
        rows = await self._read("SELECT not_before FROM waits WHERE what = ?", (what,))
        return next((_moment(until) for (until,) in rows), None)


def _remembered(game_id: str, meta_game: str, now: datetime) -> Change:
    statement = "INSERT OR IGNORE INTO games (game, meta, first_seen) VALUES (?, ?, ?)"
    return statement, (game_id, meta_game, _seconds(now))


def _seconds(moment: datetime) -> float:
    return moment.timestamp()


def _moment(seconds: object) -> datetime:
    assert isinstance(seconds, float)
    return datetime.fromtimestamp(seconds, UTC)


def _whole(number: object) -> int:
    assert isinstance(number, int)
    return number
