"""What a bot on HeXO-Arena needs after a crash, committed to disk before it counts.

The server tells the end of a game once, and never replays it. It tells no list of the challenges
that the bot made. So the store keeps every game until it is recorded, every challenge before it is
sent, and the pauses that the server's daily caps demand.
"""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, cast

from bot.guests.hexo_arena.facts import KnownGame
from bot.guests.hexo_arena.messages import Side
from bot.platforms.base import GameOutcome, PlayerKind, Seat
from bot.runtime.database import FileDatabase
from bot.time_controls import ANY_CONTROL

VERSION: Final = 1
KEPT: Final = timedelta(days=30)
"""How long finished games and old challenges are kept."""

OPENS_KEPT: Final = timedelta(minutes=5)

_TABLES: Final = (
    """
CREATE TABLE IF NOT EXISTS games (
    game TEXT PRIMARY KEY NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('x', 'o')),
    control TEXT NOT NULL,
    rated INTEGER NOT NULL,
    opponent TEXT NOT NULL,
    opponent_kind TEXT,
    opponent_rating REAL,
    began_at REAL NOT NULL,
    turns TEXT NOT NULL,
    over_at REAL,
    winner INTEGER,
    reason TEXT
) WITHOUT ROWID
    """,
    """
CREATE TABLE IF NOT EXISTS challenges (
    request TEXT PRIMARY KEY NOT NULL,
    opponent TEXT NOT NULL,
    at REAL NOT NULL,
    fate TEXT NOT NULL
) WITHOUT ROWID
    """,
    """
CREATE TABLE IF NOT EXISTS opens (
    at REAL PRIMARY KEY NOT NULL
) WITHOUT ROWID
    """,
    """
CREATE TABLE IF NOT EXISTS waits (
    what TEXT PRIMARY KEY NOT NULL,
    not_before REAL NOT NULL
) WITHOUT ROWID
    """,
)

Fate = Literal["sent", "open", "began", "declined", "refused"]
"""What became of a challenge: `sent` if no answer came, `declined` also if it expired."""


@dataclass(frozen=True, slots=True)
class SentChallenge:
    """A challenge of ours, stored before it was sent."""

    request: str
    opponent: str
    at: datetime
    fate: Fate


class Store(FileDatabase):
    """The store of one bot on one server."""

    NAME = "store of HeXO-Arena"
    APPLICATION_ID = 0x426C7548
    VERSION = VERSION
    TABLES = _TABLES

    # ---- games ---------------------------------------------------------------------------------

    async def note_game(self, game: KnownGame) -> None:
        """Store a game that runs, with the turns that the server has shown.

        Does nothing for a game that is over.
        """
        statement = (
            "INSERT OR IGNORE INTO games (game, side, control, rated, opponent, opponent_kind,"
            " opponent_rating, began_at, turns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        values = (
            game.game_id,
            game.side,
            ANY_CONTROL.dump_json(game.control).decode(),
            int(game.rated),
            game.opponent,
            game.opponent_kind,
            game.opponent_rating,
            game.began.timestamp(),
            json.dumps(game.turns),
        )
        turns = "UPDATE games SET turns = ? WHERE game = ? AND over_at IS NULL"
        await self._write((statement, values), (turns, (json.dumps(game.turns), game.game_id)))

    async def note_over(self, game: KnownGame, now: datetime) -> None:
        """Store the result of a game, and forget games that ended long ago."""
        outcome = game.outcome
        assert outcome is not None
        statement = (
            "UPDATE games SET turns = ?, opponent_kind = ?, over_at = ?, winner = ?, reason = ?"
            " WHERE game = ?"
        )
        values = (
            json.dumps(game.turns),
            game.opponent_kind,
            now.timestamp(),
            outcome.winner,
            outcome.reason,
            game.game_id,
        )
        old = (now - KEPT).timestamp()
        await self._write(
            (statement, values),
            ("DELETE FROM games WHERE over_at < ?", (old,)),
            ("DELETE FROM challenges WHERE at < ?", (old,)),
        )

    async def games(self) -> dict[str, KnownGame]:
        """Return all games by id, running and finished ones."""
        rows = await self._read(_GAMES, ())
        return {game.game_id: game for game in map(_game, rows)}

    async def game(self, game_id: str) -> KnownGame | None:
        rows = await self._read(f"{_GAMES} WHERE game = ?", (game_id,))
        return next(map(_game, rows), None)

    async def over_since(self, moment: datetime) -> list[KnownGame]:
        """Return the games that ended since then, in that order."""
        statement = f"{_GAMES} WHERE over_at >= ? ORDER BY over_at"
        return [_game(row) for row in await self._read(statement, (moment.timestamp(),))]

    async def games_since(self, moment: datetime) -> list[str]:
        """Return the opponent of every game with a bot that began since then.

        A rated game counts too, because the kind of an opponent in a tournament is known late.
        """
        statement = (
            "SELECT opponent FROM games WHERE began_at >= ? AND (rated OR opponent_kind = 'bot')"
        )
        rows = await self._read(statement, (moment.timestamp(),))
        return [str(opponent) for (opponent,) in rows]

    # ---- challenges ----------------------------------------------------------------------------

    async def note_challenge(self, challenge: SentChallenge) -> None:
        """Store a challenge before it is sent, or what has become of it."""
        statement = (
            "INSERT OR REPLACE INTO challenges (request, opponent, at, fate) VALUES (?, ?, ?, ?)"
        )
        at = challenge.at.timestamp()
        values = (challenge.request, challenge.opponent, at, challenge.fate)
        await self._write((statement, values))

    async def settle_challenge(self, request: str, fate: Fate) -> None:
        statement = "UPDATE challenges SET fate = ? WHERE request = ?"
        await self._write((statement, (fate, request)))

    async def challenges_since(self, moment: datetime) -> list[SentChallenge]:
        rows = await self._read(
            "SELECT request, opponent, at, fate FROM challenges WHERE at >= ? ORDER BY at",
            (moment.timestamp(),),
        )
        return [
            SentChallenge(str(request), str(opponent), _moment(at), cast("Fate", fate))
            for request, opponent, at, fate in rows
        ]

    # ---- pauses that the server asks for ---------------------------------------------------------

    async def hold_back(self, what: str, until: datetime) -> None:
        """Do nothing of that kind before that moment. The last call counts."""
        statement = "INSERT OR REPLACE INTO waits (what, not_before) VALUES (?, ?)"
        await self._write((statement, (what, until.timestamp())))

    async def held_back(self, now: datetime) -> dict[str, datetime]:
        """Return the pauses that last, each with its end."""
        rows = await self._read(
            "SELECT what, not_before FROM waits WHERE not_before > ?", (now.timestamp(),)
        )
        return {str(what): _moment(until) for what, until in rows}

    # ---- streams -------------------------------------------------------------------------------

    async def note_open(self, now: datetime) -> None:
        """Store that the stream is opened: the server's limit holds across restarts."""
        await self._write(
            ("DELETE FROM opens WHERE at < ?", ((now - OPENS_KEPT).timestamp(),)),
            ("INSERT OR IGNORE INTO opens (at) VALUES (?)", (now.timestamp(),)),
        )

    async def opens_since(self, moment: datetime) -> int:
        """Return how often the stream was opened since then."""
        statement = "SELECT count(*) FROM opens WHERE at >= ?"
        rows = await self._read(statement, (moment.timestamp(),))
        return int(str(rows[0][0]))


_GAMES: Final = (
    "SELECT game, side, control, rated, opponent, opponent_kind, opponent_rating, began_at, turns,"
    " over_at, winner, reason FROM games"
)


def _game(row: tuple[object, ...]) -> KnownGame:
    game, side, control, rated, opponent, kind, rating, began, turns, over, winner, reason = row
    known = KnownGame(
        game_id=str(game),
        side=cast("Side", side),
        control=ANY_CONTROL.validate_json(str(control)),
        rated=bool(rated),
        opponent=str(opponent),
        opponent_kind=cast("PlayerKind | None", kind),
        opponent_rating=cast("float | None", rating),
        began=_moment(began),
        turns=tuple(json.loads(str(turns))),
    )
    if over is None:
        return known
    return replace(known, outcome=GameOutcome(cast("Seat | None", winner), str(reason)))


def _moment(seconds: object) -> datetime:
    return datetime.fromtimestamp(float(str(seconds)), UTC)
