"""How a playout goes down the tree: which edge it takes, and how a leaf grows edges.

A step's worth is the mean of its own results and, while those are few, mostly the all-moves-as-
first (AMAF) mean of its step, read from the nearest ancestor with enough visits: generalized rapid
action value estimation (Cazenave, IJCAI 2015), with the weight of Gelly and Silver (Artificial
Intelligence 175, 2011).
"""

from typing import Final, NamedTuple

import numpy as np

from engine.kernel.atomics import publish, published
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import PASS, WIN, Record, jitable, legal_steps, priors, revised_priors
from engine.search.tree import (
    DRAWN,
    EDGES,
    NOTHING,
    UNSOLVED,
    Int16s,
    Tree,
    find_child,
    reset_edge,
    take,
)

ALL_SOLVED = -2
"""What `best_edge` answers when every child's result is known."""


class Tuning(NamedTuple):
    """The numbers that shape the search; the values come from matches (docs/performance.md).

    Those that are given here are for playouts alone, `WITH_NETWORK` says what differs.
    """

    exploration: float = 0.0
    """Weight of the upper confidence term."""
    amaf_bias: float = 300.0
    """Visits after which a step's own mean outweighs a well-founded AMAF mean."""
    reference_visits: int = 50
    """A node's own table is read from this many visits on; before that its ancestor's."""
    table_visits: int = 4
    """A node gets a table of its own at this many visits."""
    expand_visits: int = 2
    """A leaf grows edges at this many visits; more when the memory runs out."""
    guided_playouts: bool = True
    """Whether the game's knowledge chooses steps in playouts."""
    priors: bool = True
    """Whether it says which steps of a new node look promising."""
    prior_weight: float = 0.4
    """What the best prior adds to the worth of a step without visits (progressive bias: Chaslot et
    al., 2008)."""
    prior_visits: float = 20.0
    """Visits at which half of that is left."""
    revision_visits: int = 12
    """A node's priors are revised, which is dear, at this many visits; -1 for never."""
    network_share: float = 0.5
    """How much of a result is what the network expects; the rest is the playout's."""
    prior_range: float = 3.0
    """How much lower, in the network's numbers, a step has to be than the best for no prior."""


PLAYOUTS_ALONE: Final = Tuning()
WITH_NETWORK: Final = Tuning(expand_visits=0, prior_weight=0.15, revision_visits=-1)
"""Every leaf grows at once: the network is asked once for what it is worth and what to try."""


@jitable
def best_edge(tree: Tree, node: int, table: int, tuning: Tuning) -> int:
    """The edge to follow, by the values of `table` (if any); ALL_SOLVED if there is nothing to
    find out.

    A visit counts from its way down on, and its points on its way up: until then it is as good as
    lost, so that other threads rather look elsewhere (virtual loss: Chaslot et al., 2008).
    """
    first = tree.first_edge[node]
    mover = tree.mover[node]
    best, best_worth = ALL_SOLVED, -1.0
    log_visits = np.log(float(tree.visits[node]))
    for edge in range(first, first + tree.edge_count[node]):
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
        if tuning.exploration > 0:
            worth += tuning.exploration * np.sqrt(log_visits / (visits + 1.0))
        if worth > best_worth:
            best, best_worth = edge, worth
    return best


@jitable
def prior_bonus(tree: Tree, edge: int, visits: int, tuning: Tuning) -> float:
    """What a prior adds to the worth of a step; less and less as results of its own come in."""
    weight = tuning.prior_weight * tuning.prior_visits
    return float(0.01 * tree.prior[edge] * weight / (tuning.prior_visits + visits))


@jitable
def step_worth(tree: Tree, edge: int, child: int, mover: int, table: int, tuning: Tuning) -> float:
    """The expected result (0 to 1) of an edge's step for its mover: own mean and AMAF mean,
    weighted. `child` is the node that it leads to, or NOTHING.

    A pass is tried at once: nothing is known of it from other playouts, and what it ends may be
    won.
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
    """The best result for the player to move at a node whose children are all solved."""
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


@jitable
def steps_to_search(board: Record, state: Record, out: Int16s) -> int:
    """Write the steps worth a node into `out` and return their number.

    Whatever is legal; but a pass besides placements only as the answer to a pass, because it ends
    the game with a known result: two-stone games gain nothing by waiting.
    """
    count = legal_steps(board, state, out)
    if count > 1 and out[count - 1] == PASS and state.passes == 0:
        count -= 1
    return count


@jitable
def shuffle(steps: Int16s, count: int, rng: np.ndarray) -> None:
    """Put the first `count` steps into a random order, so that equal children get equal chances."""
    for position in range(count):
        other = position + random_below(rng, count - position)
        step = steps[other]
        steps[other] = steps[position]
        steps[position] = step


@jitable
def make_edges(
    board: Record,
    state: Record,
    tree: Tree,
    node: int,
    steps: Int16s,
    rng: np.ndarray,
    with_priors: bool,
) -> int:
    """Make the edges of `node`, which the caller took, in a random order.

    Returns the first, to be published; -1 when the memory is full.
    """
    count = steps_to_search(board, state, steps)
    start = take(tree, EDGES, count, tree.step.shape[0])
    if start == NOTHING:
        return NOTHING
    shuffle(steps, count, rng)
    for position in range(count):
        reset_edge(tree, start + position, int64(steps[position]))
    if with_priors:
        priors(board, state, steps, count, tree.prior[start : start + count])
    tree.edge_count[node] = count
    tree.mover[node] = state.player
    return start


@jitable
def revise_priors(board: Record, state: Record, tree: Tree, node: int, steps: Int16s) -> None:
    """Let the game take a closer look at the steps from `node`; `steps` is room to work in."""
    first, count = int64(tree.first_edge[node]), int64(tree.edge_count[node])
    for position in range(count):
        steps[position] = tree.step[first + position]
    revised_priors(board, state, steps, count, tree.prior[first : first + count])


@jitable
def network_priors(
    board: Record,
    state: Record,
    tree: Tree,
    first: int,
    count: int,
    steps: Int16s,
    logits: np.ndarray,
    tuning: Tuning,
) -> None:
    """Let the network say which of these steps look promising, if they are placements, and the
    game what it thinks of a stop or a pass; `steps` is room to work in.
    """
    last = first + count
    best = np.float32(-np.inf)
    for edge in range(first, last):
        if tree.step[edge] >= 0:
            best = max(best, logits[tree.step[edge]])
    for edge in range(first, last):
        if tree.step[edge] >= 0:
            behind = (best - logits[tree.step[edge]]) / tuning.prior_range
            tree.prior[edge] = int64(100 * max(1.0 - behind, -1.0))
        elif tuning.priors:
            steps[0] = tree.step[edge]
            priors(board, state, steps, int64(1), tree.prior[edge : edge + 1])


@jitable
def share_edges(tree: Tree, before: int, first: int, second: int, node: int) -> bool:
    """Let `node` (the steps `first`, `second` below `before`), which the caller took, use the edges
    of the same turn played the other way round, if there are any.

    Both orders lead to one position in every game of two stones a turn here: the contract of the
    rules. Threads that come to both orders at the same moment make edges of each.
    """
    twin = find_child(tree, before, second)
    if twin == NOTHING:
        return False
    twin = find_child(tree, twin, first)
    if twin == NOTHING:
        return False
    edges = published(tree.first_edge, twin)
    if edges < 0:
        return False
    tree.edge_count[node] = tree.edge_count[twin]
    tree.mover[node] = tree.mover[twin]
    tree.table[node] = max(published(tree.table, twin), NOTHING)
    publish(tree.first_edge, node, edges)
    return True
