"""Game records made from games that were really played."""

from datetime import timedelta
from typing import Any

import engine
from bot.records.model import (
    EngineSettings,
    GameRecord,
    RecordedPlayer,
    RecordedResult,
    RecordedTurn,
    score_lists,
)
from bot.time_controls import Fischer, PlayerClock
from tests.fakes.time import EPOCH

GRANITE = RecordedPlayer(
    name="Granite",
    kind="bot",
    user_id="u-1",
    engine=EngineSettings(name="Bluestone 0.1", options={"Level": "10"}),
)
ADA = RecordedPlayer(name="Ada", kind="guest")


def finished_position(
    board: str = "pent-4", seed: int = 1, rules: str = "official"
) -> engine.Position:
    return engine.play_out(engine.game("bluestone", board=board, rules=rules), seed=seed)


def record_of(position: engine.Position, **changes: Any) -> GameRecord:
    """A record of the game that led to the position; `changes` replace fields."""
    game = position.game
    played_out = RecordedResult(winner=winner_of(position), reason="played_out")
    fields: dict[str, Any] = {
        "id": "game-1",
        "platform": "arena",
        "game": game.name,
        "board": game.board.name,
        "rules": game.rule_set,
        "options": {name: str(value) for name, value in game.options},
        "clock": Fischer(initial_s=300, increment_s=5),
        "players": (GRANITE, ADA),
        "turns": recorded_turns(position),
        "result": played_out if position.over else None,
        "scores": score_lists(position),
        "started_at": EPOCH,
        "ended_at": EPOCH + timedelta(minutes=9),
        "software": "Bluestone 0.1",
    }
    return GameRecord.model_validate(fields | changes)


def winner_of(position: engine.Position) -> Any:
    return position.winner


def recorded_turns(position: engine.Position) -> list[RecordedTurn]:
    """Every second turn with what an engine says; times count up."""
    turns = []
    after = position.game.start()
    for ply, turn in enumerate(position.turns):
        after = after.play(turn)
        clock = PlayerClock(main_ms=300_000 - 1500 * ply)
        said = {"value": 0.625, "visits": 1000 + ply, "pv": [turn], "source": "engine"}
        turns.append(
            RecordedTurn(
                turn=turn,
                captured=list(after.captured),
                time_ms=1500,
                clock=clock,
                **(said if ply % 2 == 0 else {}),
            )
        )
    return turns
