"""Pairs of games as units: two games of one opening, with swapped seats, have 0 to 2 points.

An opening that favours one seat makes the two games of a pair depend on each other. Statistics
therefore use the variance of pairs instead of that of games (M. Van den Bergh, "The generalized
sequential probability ratio test and the pentanomial model"), as fishtest and fastchess do.
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
"""Normalised Elo per standard deviation of a game's result."""


@dataclass(frozen=True)
class Pentanomial:
    """The results of one player against another, counted in pairs.

    `pairs` counts the pairs with 0, 0.5, 1, 1.5 and 2 points. `singles` counts the lost, drawn and
    won games whose partner is missing.
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
        """The points per game; None without games."""
        return self.points / self.games if self.games else None

    def __add__(self, other: "Pentanomial") -> "Pentanomial":
        a, b, c, d, e = map(operator.add, self.pairs, other.pairs)
        lost, drawn, won = map(operator.add, self.singles, other.singles)
        return Pentanomial((a, b, c, d, e), (lost, drawn, won))

    @property
    def turned(self) -> "Pentanomial":
        """The same results from the other player's view."""
        zero, half, one, more, two = self.pairs
        lost, drawn, won = self.singles
        return Pentanomial((two, more, one, half, zero), (won, drawn, lost))


def pentanomial(games: Iterable[Outcome], player: str, opponent: str) -> Pentanomial:
    """The counts of the games between these two, from the player's view."""
    both = {player, opponent}
    return _counted([game for game in games if set(game.seats) == both], player)


def pentanomials(games: Iterable[Outcome]) -> dict[tuple[str, str], Pentanomial]:
    """The counts of every two players who met, from both views."""
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
    """The counts of units. A unit has the points (0, 0.5 or 1) of games that are not independent.

    A unit of two games is a pair; games of any other unit count as single games.
    """
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
    """The difference in logistic Elo, with its 95 % interval from pairs; None without games.

    The value is 400 log10(s / (1 - s)) for the score s, and the interval is that of
    `score_interval`. For example 35 to 3 in the pairs [0, 0, 3, 0, 16] is +427 (235 to 618). If one
    player won all games, the value is infinite and returned as FARTHEST.
    """
    if (score := counts.score) is None:
        return None
    low, high = score_interval(counts)
    return Estimate(elo_of_score(score), elo_of_score(low), elo_of_score(high))


def normalised_elo(counts: Pentanomial) -> Estimate | None:
    """The lead in standard deviations of a game: (s - 1/2) / sigma * 800 / ln 10.

    sigma is the square root of the number of games times the variance of the mean of pairs. The
    95 % interval extends 1.96 * 800 / ln 10 / sqrt(games) to both sides, as in fishtest and
    fastchess (M. Van den Bergh, "Normalized Elo", 2021). Returns None without games, and if all
    pairs have the same score, because sigma is then unknown.
    """
    if (score := counts.score) is None or (spread := _spread(counts, score)) == 0:
        return None
    sigma = math.sqrt(counts.games * spread) / _units(counts)
    value, half = NORMALISED * (score - 0.5) / sigma, NORMALISED * Z95 / math.sqrt(counts.games)
    return Estimate(value, value - half, value + half)


def superiority(counts: Pentanomial) -> float:
    """The likelihood of superiority: the probability, given the games, that the player is stronger.

    It is Phi(z), with z the distance of the score from 1/2 in standard errors at 1/2, as in
    `score_interval`. It exceeds 97.5 % exactly if that interval is above 1/2.
    """
    if (score := counts.score) is None:
        return 0.5
    return NormalDist().cdf((score - 0.5) * 2 * math.sqrt(_effective_units(counts, score)))


def score_interval(counts: Pentanomial) -> tuple[float, float]:
    """The bounds of the true score with 95 % confidence; 0 and 1 without games.

    This is Wilson's interval (J. Am. Stat. Assoc. 22, 1927) with the effective number of
    independent units (`_effective_units`). A pair whose games agree counts as one unit, a pair
    whose games cancel out as more. One pair whose games agree is added to the observed ones, so
    that no interval has zero width. Without pairs and draws this is Wilson's interval of games.
    """
    if (score := counts.score) is None:
        return 0.0, 1.0
    low, high = _wilson(score, _effective_units(counts, score))
    return max(0.0, low), min(1.0, high)


def _effective_units(counts: Pentanomial, score: float) -> float:
    """The number of independent decided games that carry as much information about the score."""
    number, most = _units(counts), score * (1 - score)
    if most == 0:
        return number
    return number * (number + 1) / (_spread(counts, score) / most + 1)


def _units(counts: Pentanomial) -> int:
    return sum(counts.pairs) + sum(counts.singles)


def _spread(counts: Pentanomial, score: float) -> float:
    """The sum of squared deviations of pairs and single games from the score.

    Each deviation is weighted by the number of games of its unit, relative to the mean.
    """
    units = [(half / 4, 2, count) for half, count in enumerate(counts.pairs)]
    units += [(half / 2, 1, count) for half, count in enumerate(counts.singles)]
    mean_size = counts.games / _units(counts)
    return sum(count * (size / mean_size * (each - score)) ** 2 for each, size, count in units)


def _wilson(score: float, number: float) -> tuple[float, float]:
    """Wilson's interval for a score of `number` units, which need not be a whole number."""
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
    """The units of a cluster: two games are a pair if the players swapped seats."""
    if len(cluster) == 2 and cluster[0].seats != cluster[1].seats:
        return [cluster]
    return [[game] for game in cluster]
