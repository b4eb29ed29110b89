"""Levels of play: how far a weaker player looks, and how often they play at random.

Searching less alone leaves even the lowest level strong, because playouts see captures coming; so
the lower levels also play some turns blindly and choose among the turns that they like by chance.
"""

from dataclasses import dataclass

import numpy as np

from engine.contract import Candidate


@dataclass(frozen=True)
class Level:
    """`nodes`: playouts a turn at most (None: no bound); `blind`: the share of turns played at
    random; `spread`: 0 takes the best candidate, 1 draws in proportion to visits."""

    words: str
    nodes: int | None
    blind: float = 0.0
    spread: float = 0.0


LEVELS = (
    Level("newcomer: seven turns in ten are random", 40, blind=0.7, spread=1.0),
    Level("beginner: every second turn is random", 60, blind=0.5, spread=1.0),
    Level("learner: three turns in ten are random", 100, blind=0.3, spread=1.0),
    Level("casual: one turn in seven is random", 150, blind=0.15, spread=1.0),
    Level("steady: looks briefly, and one turn in twenty is random", 300, blind=0.05, spread=0.7),
    Level("skilled: looks at every turn, and is not picky among good ones", 800, spread=0.5),
    Level("strong: sound, a little impatient", 2_500, spread=0.3),
    Level("expert: looks at 8,000 games a turn", 8_000),
    Level("master: looks at 25,000 games a turn", 25_000),
    Level("champion: full strength, uses all the time it is given", None),
)


def level(number: int) -> Level:
    """The level of that number, from 1."""
    return LEVELS[number - 1]


def draw_candidate(
    candidates: tuple[Candidate, ...], spread: float, rng: np.random.Generator
) -> Candidate:
    """A candidate, by visits to the power 1 / spread; the first of them if spread is 0."""
    if spread == 0 or candidates[0].result == 1:
        return candidates[0]
    visits = np.array([candidate.visits for candidate in candidates], np.float64)
    if not visits.any():
        return candidates[0]
    weights = (visits / visits.max()) ** (1 / spread)
    return candidates[int(rng.choice(len(candidates), p=weights / weights.sum()))]
