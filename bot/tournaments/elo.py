"""The Elo scale: a lead of 400 means odds of 10 to 1."""

import math
from dataclasses import dataclass
from typing import Final

ELO: Final = 400 / math.log(10)
"""Elo per unit of the natural logarithm of odds."""
FARTHEST: Final = 2000.0
"""The Elo of a score of 100 %, since infinity is not a number for a table or for JSON."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


def expected_score(elo: float) -> float:
    """The score, 0 to 1, of a player who is `elo` ahead, by the logistic curve."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """The inverse of `expected_score`, limited to plus or minus FARTHEST."""
    if not 0 < score < 1:
        return math.copysign(FARTHEST, score - 0.5)
    return max(-FARTHEST, min(FARTHEST, ELO * math.log(score / (1 - score))))
