"""Pairs of games as the unit: both seats of one opening, as one result of 0, 0.5, 1, 1.5 or 2.

An opening that is better for one seat makes the two games of a pair depend on each other, so the
spread of pairs is the right one, not that of games (M. Van den Bergh, "The generalized sequential
probability ratio test and the pentanomial model", the one of fishtest and fastchess).
"""

import math
import operator
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from bot.tournaments.elo import Estimate, elo_of_score
from bot.tournaments.outcomes import Outcome, clusters

Z95: Final = 1.959963984540054
NORMALISED: Final = 800 / math.log(10)
"""Normalised Elo of a game's standard deviation."""


@dataclass(frozen=True)
class Pentanomial:
    """Of one player's view of another.

    `pairs` counts those with 0, 0.5, 1, 1.5 and 2 points, `singles` lost, drawn and won games whose
    partner is missing.
    """

    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    singles: tuple[int, int, int] = (0, 0, 0)

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs) + sum(self.singles)

    @property
    def points(self) -> float:
        counted = (*enumerate(self.pairs), *enumerate(self.singles))
        return sum(half * count for half, count in counted) / 2

    @property
    def score(self) -> float | None:
        """Points a game, None without games."""
        return self.points / self.games if self.games else None

    def __add__(self, other: "Pentanomial") -> "Pentanomial":
        a, b, c, d, e = map(operator.add, self.pairs, other.pairs)
        lost, drawn, won = map(operator.add, self.singles, other.singles)
        return Pentanomial((a, b, c, d, e), (lost, drawn, won))

    @property
    def turned(self) -> "Pentanomial":
        """The other player's view."""
        zero, half, one, more, two = self.pairs
        lost, drawn, won = self.singles
        return Pentanomial((two, more, one, half, zero), (won, drawn, lost))


def pentanomial(games: Iterable[Outcome], player: str, opponent: str) -> Pentanomial:
    """Of the games between these two."""
    both = {player, opponent}
    return _counted([game for game in games if set(game.seats) == both], player)


def pentanomials(games: Iterable[Outcome]) -> dict[tuple[str, str], Pentanomial]:
    """Of all that met, each in both views."""
    between: defaultdict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for game in games:
        one, two = sorted(game.seats)
        between[one, two].append(game)
    found = {}
    for (one, two), met in between.items():
        found[one, two] = _counted(met, one)
        found[two, one] = found[one, two].turned
    return found


def pentanomial_of(units: Iterable[Sequence[float]]) -> Pentanomial:
    """Of the points (0, 0.5 or 1) of games that depend on each other: two make a pair."""
    pairs, singles = [0] * 5, [0] * 3
    for points in units:
        halves = [round(2 * each) for each in points]
        if len(halves) == 2:
            pairs[sum(halves)] += 1
        else:
            for half in halves:
                singles[half] += 1
    zero, half_point, one, more, two = pairs
    lost, drawn, won = singles
    return Pentanomial((zero, half_point, one, more, two), (lost, drawn, won))


def elo_difference(counts: Pentanomial) -> Estimate | None:
    """Logistic Elo between two players, its interval from pairs; None without games.

    The value is 400 log10(s / (1 - s)) of the score s, its interval that of `score_interval`: 35 to
    3 in the pairs [0, 0, 3, 0, 16] is +427 (235 to 618). Where one player won all games the value
    is infinite, given as FARTHEST.
    """
    if (score := counts.score) is None:
        return None
    low, high = score_interval(counts)
    return Estimate(elo_of_score(score), elo_of_score(low), elo_of_score(high))


def normalised_elo(counts: Pentanomial) -> Estimate | None:
    """The lead in standard deviations of a game: (s - 1/2) / sigma * 800 / ln 10.

    sigma is the root of the number of games times the variance of the mean of pairs, and the 95 %
    interval is 1.96 * 800 / ln 10 / sqrt(games) wide on both sides, as in fishtest and fastchess
    (M. Van den Bergh, "Normalized Elo", 2021). None without games, and where all pairs have the
    same score: then nothing is known of sigma.
    """
    if (score := counts.score) is None or (spread := _spread(counts, score)) == 0:
        return None
    sigma = math.sqrt(counts.games * spread) / _units(counts)
    value, half = NORMALISED * (score - 0.5) / sigma, NORMALISED * Z95 / math.sqrt(counts.games)
    return Estimate(value, value - half, value + half)


def superiority(counts: Pentanomial) -> float:
    """The likelihood of superiority: how likely it is, given the games, that the player is ahead.

    It is Phi(z), with z the distance of the score from 1/2 in standard errors at 1/2, as in the
    interval of the score: above 97.5 % exactly where that begins above 1/2.
    """
    if (score := counts.score) is None:
        return 0.5
    return NormalDist().cdf((score - 0.5) * 2 * math.sqrt(_worth(counts, score)))


def score_interval(counts: Pentanomial) -> tuple[float, float]:
    """Bounds of the true score with 95 % confidence, from 0 to 1 without games.

    Wilson's interval (J. Am. Stat. Assoc. 22, 1927), with as many independent units as the spread
    of the pairs is worth: a pair whose games agree is worth one, a pair whose games cancel out
    more. One pair of the former kind is added to what was seen, so that no interval is empty.
    Without pairs, and without draws, it is Wilson's interval of single games.
    """
    if (score := counts.score) is None:
        return 0.0, 1.0
    low, high = _wilson(score, _worth(counts, score))
    return max(0.0, low), min(1.0, high)


def _worth(counts: Pentanomial, score: float) -> float:
    """Independent results of all or nothing that tell as much about the score."""
    number, most = _units(counts), score * (1 - score)
    if most == 0:
        return number
    return number * (number + 1) / (_spread(counts, score) / most + 1)


def _units(counts: Pentanomial) -> int:
    return sum(counts.pairs) + sum(counts.singles)


def _spread(counts: Pentanomial, score: float) -> float:
    """The sum of the squares by which pairs and single games differ from the score, each weighted
    by its games.
    """
    units = [(half / 4, 2, count) for half, count in enumerate(counts.pairs)]
    units += [(half / 2, 1, count) for half, count in enumerate(counts.singles)]
    mean_size = counts.games / _units(counts)
    return sum(count * (size / mean_size * (each - score)) ** 2 for each, size, count in units)


def _wilson(score: float, number: float) -> tuple[float, float]:
    """E. B. Wilson (1927); `number` need not be whole."""
    square = Z95**2
    middle = (score + square / (2 * number)) / (1 + square / number)
    spread = score * (1 - score) / number + square / (4 * number**2)
    half = Z95 / (1 + square / number) * math.sqrt(spread)
    return middle - half, middle + half


def _counted(games: Sequence[Outcome], player: str) -> Pentanomial:
    return pentanomial_of(
        [game.points_of(player) for game in part]
        for cluster in clusters(games)
        for part in _parts(cluster)
    )


def _parts(cluster: Sequence[Outcome]) -> Sequence[Sequence[Outcome]]:
    """Games that share an opening are a pair if each player had each seat."""
    if len(cluster) == 2 and cluster[0].seats != cluster[1].seats:
        return [cluster]
    return [[game] for game in cluster]
