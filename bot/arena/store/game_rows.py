"""A game as rows of the database: written by the store, and read again."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from bot import wire
from bot.arena.model.game import Game, new_game, revived
from bot.arena.settings import Allowances
from bot.arena.store.database import Row, as_text
from bot.records.model import GameRecord

PLAYERS: TypeAdapter[tuple[wire.Player, wire.Player]] = TypeAdapter(tuple[wire.Player, wire.Player])


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
    tournament: wire.TournamentPlace | None = None

    def revived(self, allowances: Allowances) -> Game:
        """The game, standing still; Refused if it breaks its own rules."""
        game = new_game(self.game_id, self.setup, self.players, allowances, self.created_at, 0.0)
        return replace(
            revived(game, self.turns),
            draw_offer=self.draw_offer,
            result=self.result,
            ended_at=self.ended_at,
            revision=self.revision,
            tournament=self.tournament,
        )


@dataclass(frozen=True)
class DamagedGame:
    """A game that is in the database and cannot be read."""

    game_id: str
    why: str


def fixed(game: Game) -> dict[str, Any]:
    """What is the same for the whole game."""
    one, two = game.players
    return {
        "id": game.game_id,
        "setup": game.setup.model_dump_json(),
        "players": PLAYERS.dump_json(game.players).decode(),
        "player_1": one.id,
        "player_2": two.id,
        "created_at": as_text(game.created_at),
        "tournament": game.tournament and game.tournament.tournament_id,
        "place": game.tournament and game.tournament.model_dump_json(),
    }


def changing(game: Game, record: GameRecord | None) -> dict[str, Any]:
    """What changes with it, by the names of the columns."""
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


def opening_rows(game: Game) -> list[tuple[object, ...]]:
    """The turns of a game that has just begun."""
    return [(game.game_id, ply, turn.as_json, None, None) for ply, turn in enumerate(game.turns)]


def turn_row(game: Game) -> tuple[object, ...]:
    """The last turn, with what else changes when one is played."""
    played = game.turns[-1].as_json
    return (game.game_id, game.ply - 1, played, game.revision, game.thinking_since)


def load(game: Row, turns: Sequence[Row], alive_at: float) -> StoredGame:
    """Raises ValueError, as ValidationError too, if a row is damaged."""
    latest = _latest(game, turns)
    return StoredGame(
        game_id=game["id"],
        setup=wire.GameSetup.model_validate_json(game["setup"]),
        players=PLAYERS.validate_json(game["players"]),
        turns=_turns(game, turns),
        revision=latest.revision,
        draw_offer=game["draw_offer"],
        thought_ms=latest.banked_ms + _ms_between(latest.thinking_since, alive_at),
        result=_result(game),
        created_at=datetime.fromisoformat(game["created_at"]),
        ended_at=game["ended_at"] and datetime.fromisoformat(game["ended_at"]),
        tournament=_place(game),
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


def _place(row: Row) -> wire.TournamentPlace | None:
    return row["place"] and wire.TournamentPlace.model_validate_json(row["place"])


def summary(row: Row) -> wire.GameSummary | None:
    """A finished game for a list; None if it cannot be read."""
    try:
        return wire.GameSummary(
            game_id=row["id"],
            setup=wire.GameSetup.model_validate_json(row["setup"]),
            players=PLAYERS.validate_json(row["players"]),
            state="finished",
            plies=row["plies"],
            result=_result(row),
            tournament=_place(row),
            created_at=datetime.fromisoformat(row["created_at"]),
            ended_at=datetime.fromisoformat(row["ended_at"]),
        )
    except ValueError:  # a ValidationError too
        return None


def last_end(rows: Sequence[Row]) -> datetime | None:
    """When the last of these games ended whose moment can be read."""
    for row in reversed(rows):
        with suppress(ValueError):
            return datetime.fromisoformat(row["ended_at"])
    return None
