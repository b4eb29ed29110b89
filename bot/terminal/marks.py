"""From which loss on a turn is a mistake, and from which a blunder.

`bluestone bench review` measures what noise alone makes good turns lose; see docs/performance.md.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import Final

FEWEST_PLAYOUTS: Final = 1_000
"""Taken for an engine that tells no playouts, and for searches of fewer."""
NOISE: Final = 0.2
"""Searches with that few playouts find as large a loss in fewer than 2 of 100 good turns. It goes
down with the square root of their number, as chance does."""
SMALLEST_MISTAKE: Final = 0.06
"""However little noise there is."""
BLUNDER_LOSS: Final = 0.15
BLUNDER_NOISE: Final = 2.0
"""A blunder loses as much of a game, and this many times what may be noise."""


class Mark(StrEnum):
    """As in notes on games of chess."""

    NONE = ""
    MISTAKE = "?"
    BLUNDER = "??"


@dataclass(frozen=True)
class Thresholds:
    """The losses, as shares of a won game, from which a turn is marked."""

    mistake: float
    blunder: float

    def mark(self, loss: float | None) -> Mark:
        """What a turn with that loss is; nothing where the loss is not known."""
        if loss is None or loss < self.mistake:
            return Mark.NONE
        return Mark.BLUNDER if loss >= self.blunder else Mark.MISTAKE


def thresholds(playouts: int | None) -> Thresholds:
    """The thresholds for searches with so many playouts of the built-in engine."""
    playouts = max(FEWEST_PLAYOUTS, playouts or 0)
    mistake = max(SMALLEST_MISTAKE, NOISE * sqrt(FEWEST_PLAYOUTS / playouts))
    return Thresholds(mistake, max(BLUNDER_LOSS, BLUNDER_NOISE * mistake))
