"""A game as rows of the database."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from bot import wire
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game, revived
from bot.arena.settings import Allowances
from bot.arena.store.connection import Row
from bot.arena.store.database import as_text
from bot.records.model import GameRecord
from bot.time_controls import PlayerClock

CLOCKS: TypeAdapter[tuple[PlayerClock, PlayerClock]] = TypeAdapter(tuple[PlayerClock, PlayerClock])
PLAYERS: TypeAdapter[tuple[wire.Player, wire.Player]] = TypeAdapter(tuple[wire.Player, wire.Player])


@dataclass(frozen=True)
class StoredGame:
    """A game as stored. `thought_ms` is the time used for the turn in progress.

    `clocks` are None if they follow from the turns, because none was taken back.
    """

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
    epoch: int = 0
    takeback_offer: wire.Seat | None = None
    takebacks: int = 0
    abort_offer: wire.Seat | None = None
    hints: int = 0
    clocks: tuple[PlayerClock, PlayerClock] | None = None

    def revived(self, allowances: Allowances) -> Game:
        """The game with its clock stopped. Raises Refused if a turn is illegal."""
        new = new_game(self.game_id, self.setup, self.players, allowances, self.created_at, 0.0)
        game = revived(new, self.turns)
        return replace(
            game,
            clocks=self.clocks or game.clocks,
            takeback_offer=self.takeback_offer,
            takebacks=self.takebacks,
            abort_offer=self.abort_offer,
            hints=self.hints,
            draw_offer=self.draw_offer,
            result=self.result,
            ended_at=self.ended_at,
            revision=self.revision,
            tournament=self.tournament,
            epoch=self.epoch,
        )


@dataclass(frozen=True)
class DamagedGame:
    """A game in the database that cannot be read, and why."""

    game_id: str
    why: str


def fixed(game: Game) -> dict[str, Any]:
    """The columns that stay the same for the whole game."""
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
    """The columns that change, by their names."""
    return {
        "running": game.result is None,
        "revision": game.revision,
        "plies": game.ply,
        "draw_offer": game.draw_offer,
        "takeback_offer": game.takeback_offer,
        "takebacks": game.takebacks,
        "abort_offer": game.abort_offer,
        "hints": game.hints,
        "clocks": clocks_text(game),
        "banked_ms": game.banked_ms,
        "thinking_since": game.thinking_since,
        "result": game.result and game.result.model_dump_json(),
        "ended_at": game.ended_at and as_text(game.ended_at),
        "record": record and record.model_dump_json(),
    }


def clocks_text(game: Game | StoredGame) -> str | None:
    """The column with the clocks; None if they follow from the turns."""
    return CLOCKS.dump_json(game.clocks).decode() if game.takebacks and game.clocks else None


def opening_rows(game: Game) -> list[tuple[object, ...]]:
    """Return the rows of the turns with which a game starts."""
    return [(game.game_id, ply, turn.as_json, None, None) for ply, turn in enumerate(game.turns)]


def turn_row(game: Game) -> tuple[object, ...]:
    """The row of the last turn, with everything else that a turn changes."""
    played = game.turns[-1].as_json
    return (game.game_id, game.ply - 1, played, game.revision, game.thinking_since)


def load(game: Row, turns: Sequence[Row], alive_at: float) -> StoredGame:
    """The game of these rows. Raises ValueError (pydantic's ValidationError) if one is damaged.

    `alive_at` is the last moment at which the arena ran, in seconds of its clock.
    """
    latest, played = _latest(game, turns), _turns(game, turns)
    return StoredGame(
        game_id=game["id"],
        setup=wire.GameSetup.model_validate_json(game["setup"]),
        players=PLAYERS.validate_json(game["players"]),
        turns=played,
        revision=latest.revision,
        draw_offer=game["draw_offer"],
        thought_ms=latest.banked_ms + _ms_between(latest.thinking_since, alive_at),
        result=_result(game),
        created_at=datetime.fromisoformat(game["created_at"]),
        ended_at=game["ended_at"] and datetime.fromisoformat(game["ended_at"]),
        tournament=_place(game),
        epoch=game["epoch"],
        takeback_offer=None if len(turns) > game["plies"] else game["takeback_offer"],
        takebacks=game["takebacks"],
        abort_offer=game["abort_offer"],
        hints=game["hints"],
        clocks=_clocks(game, played),
    )


def is_only_a_turn(old: Game, game: Game) -> bool:
    """Return whether a turn was played, and the columns of the game need no change for it."""
    return (
        game.ply > old.ply
        and game.result is None
        and game.draw_offer == old.draw_offer
        and game.takeback_offer == old.takeback_offer
        and game.abort_offer == old.abort_offer
    )


def _clocks(game: Row, turns: Sequence[wire.PlayedTurn]) -> tuple[PlayerClock, PlayerClock] | None:
    """The stored clocks, which are those after `plies` turns, with the turns since then."""
    if game["clocks"] is None:
        return None
    clocks = list(CLOCKS.validate_json(game["clocks"]))
    for ply in range(game["plies"], len(turns)):
        clocks[ply % 2] = turns[ply].clock
    one, two = clocks
    return one, two


@dataclass(frozen=True)
class _Latest:
    revision: int
    banked_ms: int
    thinking_since: float | None


def _latest(game: Row, turns: Sequence[Row]) -> _Latest:
    """The values of the last turn's row if it is newer than the game's row, else the game's."""
    if len(turns) > game["plies"]:
        return _Latest(turns[-1]["revision"], 0, turns[-1]["thinking_since"])
    return _Latest(game["revision"], game["banked_ms"], game["thinking_since"])


def _turns(game: Row, rows: Sequence[Row]) -> tuple[wire.PlayedTurn, ...]:
    if len(rows) < game["plies"] or [row["ply"] for row in rows] != list(range(len(rows))):
        raise ValueError(f"{game['plies']} turns were played, {len(rows)} of them are readable")
    return tuple(wire.PlayedTurn.model_validate_json(row["played"]) for row in rows)


def _ms_between(begin: float | None, end: float) -> int:
    return 0 if begin is None else max(0, round((end - begin) * 1000))


def _result(row: Row) -> wire.Result | None:
    return row["result"] and wire.Result.model_validate_json(row["result"])


def _place(row: Row) -> wire.TournamentPlace | None:
    return row["place"] and wire.TournamentPlace.model_validate_json(row["place"])


def summary(row: Row) -> wire.GameSummary | None:
    """A finished game as one line of a list; None if the row is damaged."""
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
    """When the last of these games ended; rows whose time is damaged are skipped."""
    for row in reversed(rows):
        with suppress(ValueError):
            return datetime.fromisoformat(row["ended_at"])
    return None
