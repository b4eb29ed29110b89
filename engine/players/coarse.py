"""Coarse judgement: how a weaker player chooses a turn.

The player uses the worth that the search gives to each stone, but does not distinguish close ones.
The closer a stone is to the best, the more probable it is; a clearly worse stone is never chosen.
"""

from collections.abc import Sequence

import numpy as np

from engine.contract import Candidate
from engine.game import Position
from engine.kernel.generic import PASS, STOP
from engine.notation import stones_of
from engine.search.searcher import Searcher
from engine.search.step_worths import LOST, WON, Floats


def coarse_candidate(
    searcher: Searcher,
    position: Position,
    coarseness: float,
    found: Sequence[Candidate],
    rng: np.random.Generator,
) -> Candidate:
    """Draw a turn stone by stone; return the equal candidate of `found`, or a new one.

    `searcher` must have searched `position`. A `coarseness` of 0 takes the best stones.
    """
    turn, worth = coarse_turn(searcher, position, coarseness, rng)
    stones = stones_of(turn)
    for candidate in found:
        if stones_of(candidate.turn) == stones:
            return candidate
    return Candidate(turn, worth, visits=0, line=(turn,))


def coarse_turn(
    searcher: Searcher, position: Position, coarseness: float, rng: np.random.Generator
) -> tuple[str, float]:
    """Draw a turn; return it with the worth of its last step to the player, 0 to 1."""
    mechanics, state = position.game.mechanics, position.record()
    path, worth = list[int](), 0.5
    while not path or state["step"] == 1:
        steps = worth_a_thought(mechanics.promising_steps(state), after_pass=bool(state["passes"]))
        worths = searcher.step_worths(path, steps)
        place = draw_step(worths, coarseness, rng)
        worth = 0.5 if np.isnan(worths[place]) else float(np.clip(worths[place], 0, 1))
        if steps[place] in (PASS, STOP):
            break
        mechanics.try_step(state, steps[place])
        path.append(steps[place])
    turn = ",".join(map(position.frame.step_name, path)) or "pass"
    return position.game.canonical(turn), worth


def worth_a_thought(steps: list[int], *, after_pass: bool) -> list[int]:
    """Return the steps that the search tries: no pass if there are others, except after a pass."""
    return steps if after_pass else [step for step in steps if step != PASS] or steps


def draw_step(worths: Floats, coarseness: float, rng: np.random.Generator) -> int:
    """Draw one step by the `worths` of all (`engine.search.step_worths`); return its index.

    - A proved win is always taken, a proved loss only if there is nothing else.
    - Of the others, a step may be chosen if it is less than `coarseness` standard deviations behind
      the best; its weight falls linearly with the distance. The measure is the deviation of all
      these worths, so the spread of a game's values does not matter, and an outstanding step is
      found.
    - A step of unknown worth counts as average.
    """
    if (worths == WON).any():
        return int(np.argmax(worths == WON))
    open_ones = np.flatnonzero(worths != LOST)
    if not len(open_ones):
        return int(rng.integers(len(worths)))
    worth = worths[open_ones]
    known = worth[~np.isnan(worth)]
    worth = np.where(np.isnan(worth), known.mean() if len(known) else 0.5, worth)
    behind, room = worth.max() - worth, coarseness * worth.std()
    weights = np.maximum(0.0, 1 - behind / room) if room > 0 else 1.0 * (behind == 0)
    return int(rng.choice(open_ones, p=weights / weights.sum()))
