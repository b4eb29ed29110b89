"""What the search thinks of the steps of a turn one by one, after however few playouts.

The turns that a short search has seen to their end are few, and have a visit or two each; but of
every stone its playouts say something, by its all-moves-as-first value.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.kernel.bits import int64
from engine.kernel.generic import WIN, compiled
from engine.search.descent import Tuning, prior_bonus, step_worth
from engine.search.tree import DRAWN, NOTHING, ROOT, UNSOLVED, Int16s, Tree, find_child, find_edge

Floats = npt.NDArray[np.float64]

FEWEST_VISITS = 16
"""So many results a step needs where no stone of other playouts tells of it; fewer say nothing."""
LOST, WON = -1.0, 2.0
"""Instead of a worth, where the result is proved; a proved draw is worth a half."""


def step_worths(tree: Tree, path: Sequence[int], steps: Sequence[int], tuning: Tuning) -> Floats:
    """What each of `steps` promises their mover after the steps `path` from the root: about 0 to 1,
    with what its prior adds.

    NaN where nothing is known, LOST and WON where all is.
    """
    node, table = ROOT, int(tree.table[ROOT])
    for step in path:
        node = NOTHING if node == NOTHING else int(find_child(tree, node, step))
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
    """`node` and `table` may be NOTHING."""
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
        if child != NOTHING and tree.solved[child] != UNSOLVED:
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
