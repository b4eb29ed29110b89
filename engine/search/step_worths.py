"""The worth of each single step of a turn, even after very few playouts.

A short search visits few turns to their end, and those once or twice. But its playouts give an
all-moves-as-first (AMAF) value to almost every stone.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.kernel.bits import int64
from engine.kernel.generic import WIN, compiled
from engine.search.selection import prior_bonus, step_worth
from engine.search.tree import (
    DRAWN,
    NOTHING,
    REFUTED,
    ROOT,
    UNSOLVED,
    Int16s,
    Tree,
    child_of,
    find_edge,
)
from engine.search.tuning import Tuning

Floats = npt.NDArray[np.float64]

FEWEST_VISITS = 16
"""Visits that a step without an AMAF value needs; with fewer, its worth is unknown."""
LOST, WON = -1.0, 2.0
"""The worth of a step whose result is proved; that of a proved draw is a half."""


def step_worths(tree: Tree, path: Sequence[int], steps: Sequence[int], tuning: Tuning) -> Floats:
    """Return the worth of each of `steps`, for their mover, after the steps `path` from the root.

    A worth is about 0 to 1, and includes what the prior adds. It is NaN where nothing is known, and
    LOST or WON where the result is proved. Shape (len(steps),).
    """
    node, table = ROOT, int(tree.table[ROOT])
    for step in path:
        node = NOTHING if node == NOTHING else int(child_of(tree, node, step))
        if node != NOTHING and tree.visits[node] >= tuning.reference_visits:
            table = int(tree.table[node]) if tree.table[node] != NOTHING else table
    worths = np.empty(len(steps))
    mover = int(tree.mover[ROOT])
    fill_worths(tree, node, table, mover, np.array(steps, np.int16), tuning, worths)
    return worths


@compiled
def fill_worths(
    tree: Tree,
    node: int,
    table: int,
    mover: int,
    steps: Int16s,
    tuning: Tuning,
    worths: Floats,
) -> None:
    """Write the worth of each of `steps` into `worths`; `node` and `table` may be NOTHING."""
    for place in range(steps.shape[0]):
        step = int64(steps[place])
        edge, child = int64(NOTHING), int64(NOTHING)
        if node != NOTHING:
            edge = int64(find_edge(tree, node, step))
        if edge != NOTHING:
            child = int64(tree.child[edge])
        visits = int64(tree.visits[child]) if child != NOTHING else 0
        seen = 0
        if step >= 0 and table != NOTHING:
            seen = int64(tree.amaf_visits[table, mover - 1, step])
        if edge != NOTHING and tree.prior[edge] == REFUTED:
            worths[place] = LOST
        elif child != NOTHING and tree.solved[child] != UNSOLVED:
            solved = tree.solved[child]
            worths[place] = 0.5 if solved == DRAWN else WON if solved == mover else LOST
        elif edge != NOTHING and (seen > 0 or visits >= FEWEST_VISITS):
            if seen > 0:
                worths[place] = step_worth(tree, edge, child, mover, table, tuning)
            else:
                worths[place] = tree.points[child] / (WIN * visits)
            worths[place] += prior_bonus(tree, edge, visits, tuning)
        elif seen > 0:
            worths[place] = tree.amaf_points[table, mover - 1, step] / (WIN * seen)
        else:
            worths[place] = np.nan
