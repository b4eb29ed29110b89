"""Pairs of games as the unit: both seats of one opening, as one result of 0, 0.5, 1, 1.5 or 2.

An opening that is better for one seat makes the two games of a pair depend on each other, so the
spread of pairs is the right one, not that of games (M. Van den Bergh, "The generalized sequential
probability ratio test and the pentanomial model", the one of fishtest and fastchess).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.tournaments.elo import Estimate, elo_of_score
from bot.tournaments.outcomes import Outcome, clusters

Z95: Final = 1.959963984540054


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


def elo_difference(counts: Pentanomial) -> Estimate | None:
    """Logistic Elo between two players, its interval from pairs; None without games.

    Wilson's interval of the score, with as many independent units as the spread of the pairs is
    worth: a pair whose games agree is worth one, a pair whose games cancel out more. One pair of
    the former kind is added to what was seen, so that no interval is empty.
    """
    if (score := counts.score) is None:
        return None
    low, high = _wilson(score, _worth(counts, score))
    return Estimate(elo_of_score(score), elo_of_score(low), elo_of_score(high))


def _worth(counts: Pentanomial, score: float) -> float:
    """Independent results of all or nothing that tell as much about the score."""
    units = [(half / 4, 2, count) for half, count in enumerate(counts.pairs)]
    units += [(half / 2, 1, count) for half, count in enumerate(counts.singles)]
    number = sum(count for _, _, count in units)
    most = score * (1 - score)
    if most == 0:
        return number
    mean_size = counts.games / number
    spread = sum(count * (size / mean_size * (each - score)) ** 2 for each, size, count in units)
    return number * (number + 1) / (spread / most + 1)


def _wilson(score: float, number: float) -> tuple[float, float]:
    """E. B. Wilson (1927); `number` need not be whole."""
    square = Z95**2
    middle = (score + square / (2 * number)) / (1 + square / number)
    spread = score * (1 - score) / number + square / (4 * number**2)
    half = Z95 / (1 + square / number) * math.sqrt(spread)
    return middle - half, middle + half


def _counted(games: Sequence[Outcome], player: str) -> Pentanomial:
    pairs, singles = [0] * 5, [0] * 3
    for cluster in clusters(games):
        halves = [round(2 * game.points_of(player)) for game in cluster]
        if len(cluster) == 2 and cluster[0].seats != cluster[1].seats:
            pairs[sum(halves)] += 1
        else:
            for half in halves:
                singles[half] += 1
    zero, half_point, one, more, two = pairs
    lost, drawn, won = singles
    return Pentanomial((zero, half_point, one, more, two), (lost, drawn, won))
