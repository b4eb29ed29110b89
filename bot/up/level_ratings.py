"""Where the ratings of the bundled bots start: the measured distances between their levels.

Problem. If all bots start at 1500, a win against the weakest counts as much as one against the
strongest, until both have played many rated games.

Idea. Each level has played a match against the level below (docs/performance.md#levels). A lead of
400 points means a score of 10 to 1, so the scores are distances, which add up. How people compare
with the levels is not measured: the mean of the measured levels is the rating of a new player. The
deviation is the least that a rating can have.

Rejected: ratings that games do not move. Level 10 is stronger on a faster machine, and not all
boards were measured.
"""

import math
from collections.abc import Mapping
from itertools import accumulate
from statistics import fmean
from typing import Final

from bot.tournaments.glicko2 import LEAST_DEVIATION, Rating

SCORES: Final[Mapping[str, tuple[float, ...]]] = {
    "bluestone": (0.79, 0.71, 0.71, 0.69, 0.73, 0.74, 0.74, 0.79, 0.75),
    "blooms": (0.72, 0.75, 0.75, 0.71, 0.78, 0.78, 0.76, 0.72, 0.68),
    "stargazers": (0.73, 0.69, 0.67, 0.78, 0.63, 0.66, 0.68, 0.76, 0.63),
    "hexo": (0.80, 0.70, 0.78, 0.85, 0.69),
    "freego": (0.82, 0.78, 0.62, 0.70, 0.78, 0.62, 0.82, 0.82, 0.72),
}
"""By game, the score of each level against the level below, from level 2 on."""


def starting_ratings(level: int) -> dict[str, Rating]:
    """The ratings at which a bot of that level starts, by game.

    A level above the measured ones starts like the highest of these, with the deviation of a new
    player: it is at least that strong. A game that was not measured is left out.
    """
    return {game: _starting(scores, level) for game, scores in SCORES.items()}


def _starting(scores: tuple[float, ...], level: int) -> Rating:
    above_lowest = [0.0, *accumulate(map(_distance, scores))]
    new = Rating()
    place = min(level, len(above_lowest)) - 1
    rating = round(new.rating + above_lowest[place] - fmean(above_lowest))
    is_measured = level <= len(above_lowest)
    return Rating(float(rating), LEAST_DEVIATION if is_measured else new.deviation)


def _distance(score: float) -> float:
    """The points between two players of whom the stronger has that score."""
    return 400 * math.log10(score / (1 - score))
