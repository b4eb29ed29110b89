"""Games in the database: saved at each change, loaded when the arena starts.

While the server is down nobody's clock runs. So that a crash costs nobody time either, a sign of
life is written every few seconds: what the player to move had thought until the last one counts.
Both are moments of the arena's own clock (`bot.arena.arena_clock`), never of the wall's.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from pydantic import TypeAdapter

from bot import wire
from bot.arena.database import Database, Row, as_text
from bot.arena.game import Game, new_game, revived
from bot.arena.settings import Allowances
from bot.arena.writer import Statement
from bot.records.model import GameRecord

PLAYERS: TypeAdapter[tuple[wire.Player, wire.Player]] = TypeAdapter(tuple[wire.Player, wire.Player])
SIGN_OF_LIFE: Final = "clock_s"


@dataclass(frozen=True)
class StoredGame:
    """A game as the database has it; `thought_ms` of the turn in progress when it was left."""

    game_id: str
    setup: wire.GameSetup
    players: tuple[wire.Player, wire.Player]
    turns: tuple[wire.PlayedTurn, ...]
    revision: int
    draw_offer: wire.Seat | None
    thought_ms: int
    result: wire.Result | None
    created_at: datetime
    ended_at: datetime | None

    def revived(self, allowances: Allowances) -> Game:
        """The game, standing still; Refused if it breaks its own rules."""
        game = new_game(self.game_id, self.setup, self.players, allowances, self.created_at, 0.0)
        return replace(
            revived(game, self.turns),
            draw_offer=self.draw_offer,
            result=self.result,
            ended_at=self.ended_at,
            revision=self.revision,
        )


@dataclass(frozen=True)
class DamagedGame:
    """A game that is in the database and cannot be read."""

    game_id: str
    why: str


@dataclass(frozen=True)
class Summary:
    """A finished game for a list."""

    game: wire.GameSummary
    ended_at: datetime


@dataclass(frozen=True)
class SummaryPage:
    """Some of the finished games; those that cannot be read are left out.

    `next`: those that ended before it follow, None if there are none.
    """

    summaries: list[Summary]
    next: datetime | None


class GameStore:
    """Reads and writes games; every write is on the disk when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written at present."""
        return self._database.trouble

    def hurry(self) -> None:
        """The end is near: what cannot be written soon fails with HostError."""
        self._database.hurry()

    async def begin(self, game: Game) -> None:
        """Write a new game."""
        row = {**_fixed(game), **_changing(game, None)}
        await self._database.write(lambda connection: connection.execute(_BEGIN, row))

    async def save(self, old: Game, game: Game, record: GameRecord | None) -> None:
        """Write what has changed since `old`, which is in the database: at most one turn more."""
        turn = Statement(_PLAY, _turn_row(game)) if game.ply > old.ply else None
        if turn is not None and game.result is None and game.draw_offer == old.draw_offer:
            await self._database.write(turn)
            return
        row = {"id": game.game_id, **_changing(game, record)}
        # Columns with an index cost a page more each, and change only at the end.
        statement = _SAVE if game.result is None else _SAVE_ENDED

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(statement, row)
            if turn is not None:
                turn(connection)

        await self._database.write(work)

    async def show_life(self, clock_s: float) -> None:
        """Note that the server is up: clocks have run until now."""
        row = (SIGN_OF_LIFE, repr(clock_s))
        await self._database.write(lambda connection: connection.execute(_NOTE, row))

    async def clock_s(self) -> float:
        """How far the arena's clock had come when the server went down."""
        return await self._database.read(_clock_s)

    async def running(self) -> list[StoredGame | DamagedGame]:
        """The games that were running when the server went down, oldest first."""
        return await self._database.read(_running)

    async def games_running(self) -> list[str]:
        """The names of the games that are played in `running`."""
        return [each.setup.game for each in await self.running() if isinstance(each, StoredGame)]

    async def finished(self, game_id: str) -> StoredGame | None:
        """A finished game; None if there is none of that id."""

        def query(connection: sqlite3.Connection) -> StoredGame | None:
            row = connection.execute(_FINISHED, (game_id,)).fetchone()
            return None if row is None else _load(connection, row, 0.0)

        return await self._database.read(query)

    async def summaries(self, limit: int) -> list[Summary]:
        """The finished games that ended last, the latest first."""
        return (await self.summaries_before(None, limit)).summaries

    async def summaries_before(self, before: datetime | None, limit: int) -> SummaryPage:
        """Finished games that ended before that moment, the latest first."""
        latest = "9999" if before is None else as_text(before)
        # One more than asked for tells whether another page follows.
        rows = await self._database.read(
            lambda connection: connection.execute(_ENDED_BEFORE, (latest, limit + 1)).fetchall()
        )
        shown = rows[:limit]
        found = [summary for row in shown if (summary := _summary(row)) is not None]
        return SummaryPage(found, _last_end(shown) if len(rows) > limit else None)

    async def record(self, game_id: str) -> str | None:
        """The record of a finished game, as JSON."""
        row = await self._database.read(
            lambda connection: connection.execute(_RECORD, (game_id,)).fetchone()
        )
        return None if row is None else row["record"]

    async def record_ids(self) -> list[str]:
        """The ids of all games that have a record, oldest first."""
        rows = await self._database.read(lambda connection: connection.execute(_RECORDS).fetchall())
        return [row["id"] for row in rows]


# Each may be run again where a failing disk has kept it although it said otherwise.
# ---- statements ------------------------------------------------------------------------------

_BEGIN: Final = """
INSERT INTO games (
    id, setup, players, player_1, player_2, running, revision, plies, draw_offer, banked_ms,
    thinking_since, result, created_at, ended_at, record
) VALUES (
    :id, :setup, :players, :player_1, :player_2, :running, :revision, :plies, :draw_offer,
    :banked_ms, :thinking_since, :result, :created_at, :ended_at, :record
) ON CONFLICT (id) DO NOTHING"""
_SAVE: Final = """
UPDATE games SET revision = :revision, plies = :plies, draw_offer = :draw_offer,
    banked_ms = :banked_ms, thinking_since = :thinking_since
WHERE id = :id"""
_SAVE_ENDED: Final = """
UPDATE games SET running = :running, revision = :revision, plies = :plies,
    draw_offer = :draw_offer, banked_ms = :banked_ms, thinking_since = :thinking_since,
    result = :result, ended_at = :ended_at, record = :record
WHERE id = :id"""
_PLAY: Final = """
INSERT INTO turns (game_id, ply, played, revision, thinking_since) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (game_id, ply) DO UPDATE SET played = excluded.played,
    revision = excluded.revision, thinking_since = excluded.thinking_since"""
_NOTE: Final = """
INSERT INTO facts (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
_RUNNING: Final = "SELECT * FROM games WHERE running ORDER BY created_at"
_FINISHED: Final = "SELECT * FROM games WHERE id = ? AND NOT running"
_ENDED_BEFORE: Final = """
SELECT id, setup, players, plies, result, created_at, ended_at FROM games
WHERE ended_at < ? ORDER BY ended_at DESC LIMIT ?"""
_RECORD: Final = "SELECT record FROM games WHERE id = ?"
_RECORDS: Final = "SELECT id FROM games WHERE record IS NOT NULL ORDER BY ended_at"
_TURNS: Final = "SELECT * FROM turns WHERE game_id = ? ORDER BY ply"
_FACT: Final = "SELECT value FROM facts WHERE name = ?"
_LATEST_TURN: Final = """
SELECT max(thinking_since) FROM (
    SELECT thinking_since FROM games WHERE running
    UNION ALL
    SELECT turns.thinking_since FROM turns JOIN games ON games.id = game_id WHERE running)"""


# ---- from a game to its row, and back ----------------------------------------------------------


def _fixed(game: Game) -> dict[str, Any]:
    one, two = game.players
    return {
        "id": game.game_id,
        "setup": game.setup.model_dump_json(),
        "players": PLAYERS.dump_json(game.players).decode(),
        "player_1": one.id,
        "player_2": two.id,
        "created_at": as_text(game.created_at),
    }


def _changing(game: Game, record: GameRecord | None) -> dict[str, Any]:
    return {
        "running": game.result is None,
        "revision": game.revision,
        "plies": game.ply,
        "draw_offer": game.draw_offer,
        "banked_ms": game.banked_ms,
        "thinking_since": game.thinking_since,
        "result": game.result and game.result.model_dump_json(),
        "ended_at": game.ended_at and as_text(game.ended_at),
        "record": record and record.model_dump_json(),
    }


def _turn_row(game: Game) -> tuple[object, ...]:
    """The last turn, with what else changes when one is played."""
    played = game.turns[-1].as_json
    return (game.game_id, game.ply - 1, played, game.revision, game.thinking_since)


def _clock_s(connection: sqlite3.Connection) -> float:
    noted = connection.execute(_FACT, (SIGN_OF_LIFE,)).fetchone()
    # A turn may have been played after the last sign of life.
    latest = connection.execute(_LATEST_TURN).fetchone()[0] or 0.0
    return max(0.0 if noted is None else float(noted["value"]), latest)


def _running(connection: sqlite3.Connection) -> list[StoredGame | DamagedGame]:
    alive_at = _clock_s(connection)
    rows = connection.execute(_RUNNING).fetchall()
    return [_load_if_readable(connection, row, alive_at) for row in rows]


def _load_if_readable(
    connection: sqlite3.Connection, row: Row, alive_at: float
) -> StoredGame | DamagedGame:
    try:
        return _load(connection, row, alive_at)
    except (ValueError, sqlite3.DatabaseError) as error:
        return DamagedGame(row["id"], str(error))


def _load(connection: sqlite3.Connection, row: Row, alive_at: float) -> StoredGame:
    """Raises ValueError, as ValidationError too, if the row or a turn is damaged."""
    turns = connection.execute(_TURNS, (row["id"],)).fetchall()
    latest = _latest(row, turns)
    return StoredGame(
        game_id=row["id"],
        setup=wire.GameSetup.model_validate_json(row["setup"]),
        players=PLAYERS.validate_json(row["players"]),
        turns=_turns(row, turns),
        revision=latest.revision,
        draw_offer=row["draw_offer"],
        thought_ms=latest.banked_ms + _ms_between(latest.thinking_since, alive_at),
        result=_result(row),
        created_at=datetime.fromisoformat(row["created_at"]),
        ended_at=row["ended_at"] and datetime.fromisoformat(row["ended_at"]),
    )


@dataclass(frozen=True)
class _Latest:
    revision: int
    banked_ms: int
    thinking_since: float | None


def _latest(game: Row, turns: Sequence[Row]) -> _Latest:
    """What the last turn says, if it came after the game's own row was written."""
    if len(turns) > game["plies"]:
        return _Latest(turns[-1]["revision"], 0, turns[-1]["thinking_since"])
    return _Latest(game["revision"], game["banked_ms"], game["thinking_since"])


def _turns(game: Row, rows: Sequence[Row]) -> tuple[wire.PlayedTurn, ...]:
    if len(rows) < game["plies"] or [row["ply"] for row in rows] != list(range(len(rows))):
        raise ValueError(f"{game['plies']} turns were played, {len(rows)} can be read")
    return tuple(wire.PlayedTurn.model_validate_json(row["played"]) for row in rows)


def _ms_between(begin: float | None, end: float) -> int:
    return 0 if begin is None else max(0, round((end - begin) * 1000))


def _result(row: Row) -> wire.Result | None:
    return row["result"] and wire.Result.model_validate_json(row["result"])


def _summary(row: Row) -> Summary | None:
    try:
        summary = wire.GameSummary(
            game_id=row["id"],
            setup=wire.GameSetup.model_validate_json(row["setup"]),
            players=PLAYERS.validate_json(row["players"]),
            state="finished",
            plies=row["plies"],
            result=_result(row),
            created_at=datetime.fromisoformat(row["created_at"]),
        )
        return Summary(summary, datetime.fromisoformat(row["ended_at"]))
    except ValueError:  # a ValidationError too
        return None


def _last_end(rows: Sequence[Row]) -> datetime | None:
    """When the last of these games ended whose moment can be read."""
    for row in reversed(rows):
        with suppress(ValueError):
            return datetime.fromisoformat(row["ended_at"])
    return None
