"""Coarse judgement: how a weaker player chooses a turn.

It sees of each stone what the search sees, but does not tell apart what is close: the nearer a
stone comes to the best, the likelier it is chosen, and one that is clearly worse never is.
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
    """A turn drawn stone by stone, as one of the candidates `found` if it is among them.

    The search has run from `position`.
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
    """The turn, and what its last step seems worth to the player, 0 to 1."""
    mechanics, state = position.game.mechanics, position.record()
    path, worth = list[int](), 0.5
    while not path or state["step"] == 1:
        steps = worth_a_thought(mechanics.steps(state), after_pass=bool(state["passes"]))
        worths = searcher.step_worths(path, steps)
        place = draw_step(worths, coarseness, rng)
        worth = 0.5 if np.isnan(worths[place]) else float(np.clip(worths[place], 0, 1))
        if steps[place] in (PASS, STOP):
            break
        mechanics.try_step(state, steps[place])
        path.append(steps[place])
    names = position.game.step_names
    turn = ",".join(names[step] for step in path) or "pass"
    return position.game.canonical(turn), worth


def worth_a_thought(steps: list[int], *, after_pass: bool) -> list[int]:
    """All but a pass besides other steps, save as the answer to a pass: what the search tries."""
    return steps if after_pass else [step for step in steps if step != PASS] or steps


def draw_step(worths: Floats, coarseness: float, rng: np.random.Generator) -> int:
    """The place of one of these steps (`engine.search.step_worths`).

    A win that is proved is taken, a loss only where nothing else is left. Of the others, those may
    be chosen that are less than `coarseness` standard deviations of all of them behind the best,
    and the likelier the less: so it is no matter how far apart a game's values lie, and what
    stands out is found. A step of which nothing is known counts as an average one.
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
