"""The turns that a game of a tournament begins with: given, and played by nobody."""

from collections.abc import Sequence

import engine
from bot import wire
from bot.arena.model import referee
from bot.time_controls import PlayerClock


def opened(
    start: engine.Position, opening: Sequence[str], clock: PlayerClock
) -> tuple[engine.Position, tuple[wire.PlayedTurn, ...]]:
    """The position after an opening and its turns, none of which took time from `clock`.

    Refused if one is not legal.
    """
    position, turns = start, list[wire.PlayedTurn]()
    for turn in opening:
        position = referee.play(position, turn)
        given = wire.PlayedTurn(
            turn=position.turns[-1],
            captured=list(position.captured),
            time_ms=0,
            clock=clock,
            info=wire.TurnInfo(source="opening"),
        )
        turns.append(given)
    return position, tuple(turns)
