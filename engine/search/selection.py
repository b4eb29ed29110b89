"""Selection: which edge of a node a playout follows.

By default, the worth of a step is a weighted mean of its own results and of its all-moves-as-first
(AMAF) mean. While its own results are few, the AMAF mean has most of the weight; it is read from
the nearest ancestor with enough visits. This is generalized rapid action value estimation (GRAVE:
Cazenave, IJCAI 2015), with the weight of Gelly and Silver (Artificial Intelligence 175, 2011).

A game whose priors are sharp is searched by them instead (`best_by_bound`): of hundreds of steps,
the search then looks at a few. In HeXO this won 88 % of the games against AMAF values.
"""

import numpy as np

from engine.kernel.atomics import published
from engine.kernel.bits import int64
from engine.kernel.generic import PASS, WIN, jitable
from engine.search.tree import DRAWN, NOTHING, REFUTED, UNSOLVED, Tree
from engine.search.tuning import Tuning

ALL_SOLVED = -2
"""What `best_edge` returns when the results of all children are proved."""


@jitable
def best_edge(tree: Tree, node: int, table: int, tuning: Tuning) -> int:
    """Return the edge to follow from `node`, by the AMAF values of `table` (NOTHING for none).

    Returns ALL_SOLVED if the results of all children are proved, none of them a win for the mover.
    A proved win is returned at once.

    A playout counts its visits on the way down and its points on the way up. In between it looks
    like a loss, so other threads prefer other edges (virtual loss: Chaslot et al., 2008).
    """
    if tuning.exploration > 0:
        return best_by_bound(tree, node, tuning)
    first = tree.first_edge[node]
    mover = tree.mover[node]
    best, best_worth = ALL_SOLVED, -1.0
    for edge in range(first, first + tree.edge_count[node]):
        if tree.prior[edge] == REFUTED:
            continue
        child = published(tree.child, edge)
        visits = 0
        if child != NOTHING:
            if tree.solved[child] == mover:
                return edge
            if tree.solved[child] != UNSOLVED:
                continue
            visits = int64(tree.visits[child])
        worth = step_worth(tree, edge, child, mover, table, tuning)
        if tree.prior[edge] != 0:
            worth += prior_bonus(tree, edge, visits, tuning)
        if worth > best_worth:
            best, best_worth = edge, worth
    return best


@jitable
def best_by_bound(tree: Tree, node: int, tuning: Tuning) -> int:
    """Return the edge with the highest upper confidence bound, as `best_edge` does.

    The bound of a step is its mean result plus a share of the exploration that its prior gives it
    (PUCT: Rosin, 2011, in the form of Silver et al., Nature 550, 2017).
    """
    first = tree.first_edge[node]
    last = first + tree.edge_count[node]
    mover = tree.mover[node]
    priors, visits, points = 1.0, 1.0, 0.5
    for edge in range(first, last):
        child = published(tree.child, edge)
        if child != NOTHING and tree.solved[child] == mover:
            return edge
        if is_open(tree, edge, child):
            priors += tree.prior[edge]
            if child != NOTHING:
                visits += tree.visits[child]
                points += tree.points[child] / WIN
    unseen = points / visits - tuning.unseen_loss
    exploration = tuning.exploration * np.sqrt(visits) / priors
    best, best_worth = ALL_SOLVED, -np.inf
    for edge in range(first, last):
        child = published(tree.child, edge)
        if not is_open(tree, edge, child):
            continue
        seen = int64(tree.visits[child]) if child != NOTHING else 0
        worth = tree.points[child] / (WIN * seen) if seen else unseen
        worth += exploration * tree.prior[edge] / (1.0 + seen)
        if worth > best_worth:
            best, best_worth = edge, worth
    return best


@jitable
def is_open(tree: Tree, edge: int, child: int) -> bool:
    """Return whether the result of an edge, which leads to `child` or NOTHING, is unknown."""
    if tree.prior[edge] == REFUTED:
        return False
    return bool(child == NOTHING or tree.solved[child] == UNSOLVED)


@jitable
def prior_bonus(tree: Tree, edge: int, visits: int, tuning: Tuning) -> float:
    """Return what a prior adds to the worth of a step; it decreases as the visits increase."""
    weight = tuning.prior_weight * tuning.prior_visits
    return float(0.01 * tree.prior[edge] * weight / (tuning.prior_visits + visits))


@jitable
def step_worth(tree: Tree, edge: int, child: int, mover: int, table: int, tuning: Tuning) -> float:
    """Return the expected result of an edge's step for its mover, 0 to 1.

    It is the weighted mean of the step's own results and of its AMAF values in `table` (NOTHING for
    none). `child` is the node that the edge leads to, or NOTHING. A pass without visits returns 2,
    so the search tries it first: passes have no AMAF values, and a pass may end a won game.
    """
    visits = int64(tree.visits[child]) if child != NOTHING else 0
    step = tree.step[edge]
    if visits == 0 and step == PASS:
        return 2.0
    amaf_visits = tree.amaf_visits[table, mover - 1, step] if step >= 0 and table >= 0 else 0
    if amaf_visits == 0:
        return float(tree.points[child] / (WIN * visits)) if visits else 0.5
    amaf = tree.amaf_points[table, mover - 1, step] / (WIN * amaf_visits)
    if visits == 0:
        return float(amaf)
    weight = amaf_visits / (amaf_visits + visits + visits * amaf_visits / tuning.amaf_bias)
    return float((1.0 - weight) * tree.points[child] / (WIN * visits) + weight * amaf)


@jitable
def solved_value(tree: Tree, node: int) -> int:
    """Return the best result for the player to move at a node whose children are all solved."""
    first = tree.first_edge[node]
    mover = tree.mover[node]
    value = int64(3 - mover)
    for edge in range(first, first + tree.edge_count[node]):
        child = tree.child[edge]
        if tree.solved[child] == mover:
            return int64(mover)
        if tree.solved[child] == DRAWN:
            value = DRAWN
    return value
