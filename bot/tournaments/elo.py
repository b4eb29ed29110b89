"""Elo: a difference of 400 is 10 to 1."""

import math
from dataclasses import dataclass
from typing import Final

ELO: Final = 400 / math.log(10)
"""Elo of a natural logarithm of odds."""
FARTHEST: Final = 2000.0
"""What nothing but wins are shown as, at most: infinity is no figure for a table."""


@dataclass(frozen=True)
class Estimate:
    """With a 95 % interval."""

    value: float
    low: float
    high: float


def expected_score(elo: float) -> float:
    """Of one who is so much ahead, 0 to 1, by the logistic curve."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """The other way round, within FARTHEST."""
    if not 0 < score < 1:
        return math.copysign(FARTHEST, score - 0.5)
    return max(-FARTHEST, min(FARTHEST, ELO * math.log(score / (1 - score))))
