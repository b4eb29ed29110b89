"""The quality of stated expectations: Brier score, and calibration in bins."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

BINS: Final = 10


class Forecast(NamedTuple):
    """An expectation from 0 to 1, the result (1, 0 or a half), and the `game` that it is from."""

    stated: float
    result: float
    game: int


@dataclass(frozen=True)
class Score:
    """A Brier score with its standard error, over `count` forecasts."""

    brier: float
    error: float
    count: int


@dataclass(frozen=True)
class Difference:
    """A difference with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Bin:
    """Forecasts from `low` up to `high`.

    Has the means of the stated values and of the results, and the standard error of the latter; all
    are None for an empty bin.
    """

    low: float
    high: float
    count: int
    stated: float | None = None
    result: float | None = None
    error: float | None = None


def brier(forecasts: Sequence[Forecast]) -> Score:
    """Return the mean squared difference (Brier, 1950): 0 is perfect, 0.25 is always stating a
    half.

    There must be at least one forecast.
    """
    squares = [(each.stated - each.result) ** 2 for each in forecasts]
    mean, error = _mean_and_error(squares, [each.game for each in forecasts])
    return Score(mean, error, len(forecasts))


def gain(first: Sequence[Forecast], second: Sequence[Forecast]) -> Difference:
    """Return how much lower the Brier score of `first` is. Both must be of the same positions.

    The error of the difference is much smaller than those of the scores, because both find the same
    positions hard.
    """
    lower = [
        (other.stated - other.result) ** 2 - (each.stated - each.result) ** 2
        for each, other in zip(first, second, strict=True)
    ]
    return Difference(*_mean_and_error(lower, [each.game for each in first]))


def bins(forecasts: Sequence[Forecast], count: int = BINS) -> list[Bin]:
    """Sort the forecasts into bins of the same width by the stated value; 1 is in the last bin."""
    sorted_in: list[list[Forecast]] = [[] for _ in range(count)]
    for each in forecasts:
        sorted_in[min(count - 1, int(each.stated * count))].append(each)
    return [_bin(place, count, inside) for place, inside in enumerate(sorted_in)]


def calibration_error(found: Sequence[Bin]) -> float:
    """Return the mean difference in a bin, weighted by forecasts (Naeini et al., 2015).

    Chance alone contributes about 0.8 times the standard error in a bin.
    """
    total = sum(each.count for each in found)
    apart = (
        each.count * abs(each.stated - each.result)
        for each in found
        if each.stated is not None and each.result is not None
    )
    return sum(apart) / total


def _bin(place: int, count: int, inside: Sequence[Forecast]) -> Bin:
    low, high = place / count, (place + 1) / count
    if not inside:
        return Bin(low, high, 0)
    stated = sum(each.stated for each in inside) / len(inside)
    games = [each.game for each in inside]
    result, error = _mean_and_error([each.result for each in inside], games)
    return Bin(low, high, len(inside), stated, result, error)


def _mean_and_error(values: Sequence[float], games: Sequence[int]) -> tuple[float, float]:
    """Return the mean and its standard error. Positions of one game form a cluster."""
    mean = sum(values) / len(values)
    apart = defaultdict[int, float](float)
    for value, game in zip(values, games, strict=True):
        apart[game] += value - mean
    return mean, math.sqrt(sum(each**2 for each in apart.values())) / len(values)
