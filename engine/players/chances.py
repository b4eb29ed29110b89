"""The chance to win that a value of the search stands for.

Values of the search lie nearer to a half than the games end, and that of the best turn is rather
too high than too low. A logistic curve (Platt, 1999) takes back both; docs/performance.md has what
it was fitted to, and `bluestone bench calibration` measures what becomes of it.
"""

import math
from dataclasses import replace
from typing import Final

from engine.contract import Candidate, Choice, Info

SLOPE: Final = 3.0
OPTIMISM: Final = 0.5
"""How much too high the best value is, in logits of the chance."""


def chance(value: float) -> float:
    """The chance to win, 0 to 1, where a search says `value`, 0 to 1; a higher one for more."""
    if value <= 0 or value >= 1:
        return value
    odds = math.pow(value / (1 - value), SLOPE) / math.exp(OPTIMISM)
    return odds / (1 + odds)


def with_chance(candidate: Candidate) -> Candidate:
    """The candidate with a chance for its value, unless that is proved, or comes from no search."""
    if candidate.result is not None or not candidate.visits:
        return candidate
    return replace(candidate, value=chance(candidate.value))


def info_with_chances(info: Info) -> Info:
    others = tuple(with_chance(each) for each in info.others)
    return replace(info, best=with_chance(info.best), others=others)


def choice_with_chances(choice: Choice) -> Choice:
    """The choice, whose turn is that of its first candidate, with chances for values."""
    candidates = tuple(with_chance(each) for each in choice.candidates)
    return replace(choice, value=candidates[0].value, candidates=candidates)
