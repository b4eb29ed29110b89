"""Uniformly random turns: a player, and the fallback of other players."""

import random
from collections.abc import Collection
from typing import ClassVar, Final

from engine.contract import Choice, Engine, InfoListener, Limits, Option, OptionValue, Signals
from engine.game import Position
from engine.notation import stones_of

AUTHOR: Final = "the Bluestone authors"
SEED: Final = Option("Seed", "spin", 0, 0, 2**32 - 1)
REDRAWS: Final = 20
"""Turns that are drawn instead of an excluded one, before all legal turns are looked at."""


class RandomEngine(Engine):
    """Plays uniformly random turns: the weakest player, and the fallback of others."""

    name: ClassVar = "Bluestone random"
    author: ClassVar = AUTHOR
    options: ClassVar = (SEED,)

    def __init__(self) -> None:
        self._chance = random.Random(0)
        self._position: Position | None = None

    def set_option(self, name: str, value: OptionValue) -> None:
        """Set the option Seed, which restarts the random numbers."""
        if name == SEED.name:
            self._chance = random.Random(value)

    def set_position(self, position: Position) -> None:
        """See `Engine`."""
        self._position = position

    def search(self, limits: Limits, on_info: InfoListener, signals: Signals) -> Choice:
        """Return a random turn at once, whatever the limits. ValueError without a position."""
        del limits, on_info, signals
        if self._position is None:
            raise ValueError("no position to search")
        return guess(self._position, self._chance)


def guess(
    position: Position,
    chance: random.Random,
    excluded: Collection[frozenset[str]] = (),
    *,
    likely: bool = False,
) -> Choice:
    """Return a random turn with the value 0.5 and no visits.

    `excluded` turns, as `stones_of` gives them, are returned only if there is no other turn.
    `likely` draws by `Position.likely_turn`, which may compile a function at its first call.
    """
    draw = position.likely_turn if likely else position.random_turn
    turn = draw(chance)
    for _ in range(REDRAWS):
        if stones_of(turn) not in excluded:
            break
        turn = draw(chance)
    if stones_of(turn) in excluded:
        others = (each for each in position.legal_turns() if stones_of(each) not in excluded)
        turn = next(others, turn)
    return Choice(turn, value=0.5, visits=0, pv=(turn,))
