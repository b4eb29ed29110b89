"""Ratings of all players from one joint fit, with intervals and likelihoods of superiority."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from bot.tournaments.elo import ELO, Estimate
from bot.tournaments.outcomes import Outcome
from bot.tournaments.rating_errors import Errors, errors
from bot.tournaments.rating_fit import Floats, design, most_likely, shrunk

TERMS: Final = 300
"""The most terms of the continued fraction; about 50 are enough for 10,000 degrees of freedom."""
HALVINGS: Final = 60


def probability(t: float, freedom: float) -> float:
    """The probability that a value of Student's t distribution is at most `t`."""
    tail = _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def quantile(share: float, freedom: float) -> float:
    """The value below which the given share (0.5 to 1) of Student's t distribution lies."""
    low, high = 0.0, 1e4
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function (Abramowitz, Stegun 26.5.8), by Lentz's method."""
    if x <= 0 or x >= 1:
        return min(1.0, max(0.0, x))
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    factor = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return factor / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, TERMS):
        m = term // 2
        if term % 2:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + step * d)
        c = 1 + step / c
        value *= c * d
        if abs(c * d - 1) < 1e-13:
            break
    return value


CONFIDENCE: Final = 0.975
"""The share below the upper end of a symmetric 95 % interval."""


@dataclass(frozen=True)
class EloRating:
    """A rating in Elo, with the 95 % interval of its difference to the mean, or to the anchor.

    `is_bounded`: the player won or lost all games, or is not connected to most others by games. No
    most likely rating exists then, and a prior with a deviation of 400 Elo limits it.
    """

    name: str
    elo: float
    low: float
    high: float
    games: int
    points: float
    is_bounded: bool


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Ratings, highest first. A player without games has no row.

    - `advantage` is that of the first seat, in Elo; None if it was not a parameter.
    - `draws` is nu of Davidson's model: between equal players a share of nu / (2 + nu) is drawn;
      None if it was not a parameter.
    - `pairs` counts the independent units: pairs, and games without a partner.
    - `anchor` is the player whose rating is 0; None if the mean of the players is 0.
    """

    rows: tuple[EloRating, ...]
    advantage: Estimate | None = None
    is_advantage_bounded: bool = False
    draws: float | None = None
    games: int = 0
    pairs: int = 0
    anchor: str | None = None
    _known: "_Known | None" = field(default=None, repr=False)

    def difference(self, one: str, other: str) -> Estimate:
        """The lead of `one` in Elo with its own 95 % interval.

        Raises KeyError if one of them has no rating.
        """
        known, contrast = self._contrast(one, other)
        return known.estimate(contrast)

    def superiority(self, one: str, other: str) -> float:
        """The probability, given the games, that `one` is stronger than `other`.

        Raises KeyError if one of them has no rating.
        """
        known, contrast = self._contrast(one, other)
        return 0.5 if one == other else known.likelihood_above_0(contrast)

    def _contrast(self, one: str, other: str) -> tuple["_Known", Floats]:
        if self._known is None:
            raise KeyError(one)
        return self._known, self._known.unit(one) - self._known.unit(other)


@dataclass(frozen=True, eq=False)
class _Known:
    """The fitted parameters: the most likely ones, and the shrunk ones for intervals.

    `order` has the index of each player's parameter.
    """

    order: Mapping[str, int]
    most_likely: Floats
    shrunk: Floats
    errors: Errors

    def unit(self, name: str) -> Floats:
        found = np.zeros(len(self.shrunk))
        found[self.order[name]] = 1
        return found

    def estimate(self, contrast: Floats) -> Estimate:
        """The value and interval of a weighted sum of parameters, in Elo.

        The interval always contains the most likely value, even far away from the shrunk one.
        """
        value = float(contrast @ self.most_likely) * ELO
        middle = float(contrast @ self.shrunk) * ELO
        freedom = self.errors.freedom(contrast)
        half = quantile(CONFIDENCE, freedom) * self.errors.deviation(contrast) * ELO
        return Estimate(value, min(value, middle - half), max(value, middle + half))

    def likelihood_above_0(self, contrast: Floats) -> float:
        lead = float(contrast @ self.shrunk) / self.errors.deviation(contrast)
        return probability(lead, self.errors.freedom(contrast))


def ratings(
    games: Sequence[Outcome],
    *,
    anchor: str | None = None,
    with_advantage: bool = True,
    with_draws: bool = True,
) -> RatingTable:
    """The ratings from all games at once. The mean rating is 0, or that of the anchor.

    The first-player advantage and the share of draws are parameters by default; draws only if some
    games were drawn, but not all. Raises KeyError if the anchor has no games.
    """
    tallies = _tallies(games)
    if anchor is not None and anchor not in tallies:
        raise KeyError(anchor)
    if not games:
        return RatingTable(())
    players = sorted(tallies)
    model = design(games, players, with_advantage=with_advantage, with_draws=with_draws)
    found, numbers = most_likely(model), _cluster_numbers(games)
    near = shrunk(model, found)
    order = {name: number for number, name in enumerate(players)}
    known = _Known(order, found.fit.at, near.at, errors(model, near, numbers))
    bounded = {name for name, held in zip(players, found.bounded, strict=True) if held}
    return RatingTable(
        _rows(known, tallies, bounded, anchor),
        known.estimate(np.eye(model.parameters)[len(players)]) if with_advantage else None,
        found.is_advantage_bounded,
        float(np.exp(found.fit.at[-1])) if model.with_draws else None,
        len(games),
        max(numbers) + 1,
        anchor,
        known,
    )


def _rows(
    known: _Known, tallies: Mapping[str, list[float]], bounded: Collection[str], anchor: str | None
) -> tuple[EloRating, ...]:
    if anchor is None:
        reference = np.mean([known.unit(name) for name in tallies], axis=0)
    else:
        reference = known.unit(anchor)
    rows = []
    for name, points in tallies.items():
        elo = known.estimate(known.unit(name) - reference)
        row = EloRating(
            name, elo.value, elo.low, elo.high, len(points), sum(points), name in bounded
        )
        rows.append(row)
    return tuple(sorted(rows, key=lambda row: (-row.elo, row.name)))


def _tallies(games: Iterable[Outcome]) -> dict[str, list[float]]:
    """The points of each player's games."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for game in games:
        for name in game.seats:
            found[name].append(game.points_of(name))
    return dict(found)


def _cluster_numbers(games: Iterable[Outcome]) -> list[int]:
    seen: dict[object, int] = {}
    return [seen.setdefault((game.pair, frozenset(game.seats)), len(seen)) for game in games]
