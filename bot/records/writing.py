"""How a game becomes a record, wherever it was played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import engine
from bot import __version__
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn, score_lists
from bot.time_controls import TimeControl


@dataclass(frozen=True, slots=True)
class RecordedSetup:
    """What was played; what a server says of it need not be known to our rules."""

    game: str
    board: str
    rules: str
    clock: TimeControl
    options: Mapping[str, str] = field(default_factory=dict)
    rated: bool = False


def setup_of(game: engine.Game, clock: TimeControl) -> RecordedSetup:
    """A game of our own engine."""
    options = {name: str(value) for name, value in game.options}
    return RecordedSetup(game.name, game.board.name, game.rule_set, clock, options)


def game_record(
    game_id: str,
    platform: str,
    setup: RecordedSetup,
    players: tuple[RecordedPlayer, RecordedPlayer],
    turns: Sequence[RecordedTurn],
    result: RecordedResult | None,
    *,
    last: engine.Position | None,
    began: datetime,
    ended: datetime | None,
    software: str = "bluestone",
) -> GameRecord:
    """`last` is the position after all turns, None where our rules do not come to it.

    `software` is the program that writes the record.
    """
    return GameRecord(
        id=game_id,
        platform=platform,
        game=setup.game,
        board=setup.board,
        rules=setup.rules,
        options=dict(setup.options),
        rated=setup.rated,
        clock=setup.clock,
        players=players,
        turns=list(turns),
        result=result,
        scores=None if last is None else score_lists(last),
        started_at=began,
        ended_at=ended,
        software=f"{software} {__version__}",
    )
