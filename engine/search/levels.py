"""Levels of play: how far a weaker player looks, and how often he plays at random.

Searching less alone leaves even the lowest level strong, because playouts see captures coming; so
the lower levels also play some turns blindly and choose among the turns that they like by chance.
"""

from dataclasses import dataclass

import numpy as np

from engine.search.contract import Candidate


@dataclass(frozen=True)
class Level:
    """`nodes`: playouts a turn at most (None: no bound); `blind`: the share of turns played at
    random; `spread`: 0 takes the best candidate, 1 draws in proportion to visits."""

    words: str
    nodes: int | None
    blind: float = 0.0
    spread: float = 0.0


LEVELS = (
    Level("newcomer: most turns are random", 40, blind=0.7, spread=1.0),
    Level("beginner: every second turn is random", 60, blind=0.5, spread=1.0),
    Level("learner: forgets to look now and then", 100, blind=0.3, spread=1.0),
    Level("casual: sees threats next to the last stones", 150, blind=0.15, spread=1.0),
    Level("steady: looks at every turn, briefly", 300, blind=0.05, spread=0.7),
    Level("club: few blunders", 800, spread=0.5),
    Level("strong club: sound, a little impatient", 2_500, spread=0.3),
    Level("expert: punishes mistakes", 8_000),
    Level("master: thinks about a third of a second", 25_000),
    Level("full strength: uses all the time it is given", None),
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
