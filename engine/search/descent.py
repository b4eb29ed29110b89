"""Selection and expansion: which edge a playout follows, and how a leaf gets its edges.

The worth of a step is a weighted mean of its own results and of its all-moves-as-first (AMAF) mean.
While its own results are few, the AMAF mean has most of the weight; it is read from the nearest
ancestor with enough visits. This is generalized rapid action value estimation (GRAVE: Cazenave,
IJCAI 2015), with the weight of Gelly and Silver (Artificial Intelligence 175, 2011).
"""

from typing import Final, NamedTuple

import numpy as np

from engine.kernel.atomics import publish, published
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import (
    PASS,
    UNPROVED,
    WIN,
    Memory,
    Record,
    jitable,
    priors,
    promising_steps,
    prove,
    revised_priors,
)
from engine.search.tree import (
    DRAWN,
    EDGES,
    NOTHING,
    ROOT,
    UNSOLVED,
    Int16s,
    Tree,
    find_child,
    make_child,
    reset_edge,
    take,
)

ALL_SOLVED = -2
"""What `best_edge` returns when the results of all children are proved."""


class Tuning(NamedTuple):
    """The parameters of the search; their values were chosen by matches (docs/performance.md).

    The defaults are those of a search without a network; `WITH_NETWORK` has the differences.
    """

    exploration: float = 0.0
    """Weight of the upper confidence bound."""
    amaf_bias: float = 300.0
    """Visits after which a step's own mean outweighs a well-founded AMAF mean."""
    reference_visits: int = 50
    """Visits from which a node reads its own table; before that, it reads its ancestor's."""
    table_visits: int = 4
    """Visits at which a node gets its own table."""
    expand_visits: int = 2
    """Visits at which a leaf gets edges; `visits_to_expand` raises it as memory fills."""
    guided_playouts: bool = True
    """Whether playouts choose steps by the game's knowledge."""
    priors: bool = True
    """Whether the game's knowledge gives priors to the steps of a new node."""
    prior_weight: float = 0.4
    """What a prior of 100 adds to the worth of a step without visits (progressive bias: Chaslot et
    al., 2008)."""
    prior_visits: float = 20.0
    """Visits of a step at which half of that is left."""
    revision_visits: int = 12
    """Visits at which a node's priors are revised, which is expensive; -1 for never."""
    proof_nodes: int = 300
    """Positions that a game with a prover may look at for each node that gets edges."""
    network_share: float = 0.5
    """The weight of the network's value in a result; the playout has the rest."""
    prior_range: float = 3.0
    """How far below the best a step's logit must be for a prior of 0."""


PLAYOUTS_ALONE: Final = Tuning()
WITH_NETWORK: Final = Tuning(expand_visits=0, prior_weight=0.15, revision_visits=-1)
"""Every leaf gets edges at once: one evaluation gives both its value and its priors."""


@jitable
def best_edge(tree: Tree, node: int, table: int, tuning: Tuning) -> int:
    """Return the edge to follow from `node`, by the AMAF values of `table` (NOTHING for none).

    Returns ALL_SOLVED if the results of all children are proved, none of them a win for the mover.
    A proved win is returned at once.

    A playout counts its visits on the way down and its points on the way up. In between it looks
    like a loss, so other threads prefer other edges (virtual loss: Chaslot et al., 2008).
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


@jitable
def steps_to_search(board: Record, state: Record, out: Int16s) -> int:
    """Write the steps that the search considers into `out` and return their number.

    These are all promising steps, except a pass where placements are legal too. Such a pass is
    kept only as the answer to a pass, because it then ends the game with a known result. Waiting
    gains nothing in games of two stones per turn.
    """
    count = promising_steps(board, state, out)
    if count > 1 and out[count - 1] == PASS and state.passes == 0:
        count -= 1
    return count


@jitable
def shuffle(steps: Int16s, count: int, rng: np.ndarray) -> None:
    """Shuffle the first `count` steps, so that equally good children have equal chances."""
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
    memory: Memory,
    proof_nodes: int,
) -> int:
    """Make the edges of `node` in a random order, or solve it.

    The caller has set `first_edge` of the node to TAKEN, and publishes the number that this
    returns: the first edge, or NOTHING when the memory is full. `steps` is a work buffer. The game
    may look at `proof_nodes` positions for a proof. A lost node stays unsolved if it is the root or
    in the middle of a turn: the search has yet to find a turn to play.
    """
    count, winner = steps_to_search(board, state, steps), int64(UNPROVED)
    if proof_nodes > 0:
        winner, count = prove(board, state, memory, proof_nodes, steps, count)
        if winner == state.player:
            return make_win(tree, node, winner, steps, count)
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
    if winner > 0 and node != ROOT and state.step == 0:
        tree.solved[node] = winner
    return start


@jitable
def make_win(tree: Tree, node: int, winner: int, steps: Int16s, count: int) -> int:
    """Solve `node`, whose player to move wins by a turn of `count` steps; return its only edge.

    Returns NOTHING if the memory is full.
    """
    edge = take(tree, EDGES, count, tree.step.shape[0])
    if edge == NOTHING:
        return NOTHING
    reset_edge(tree, edge, int64(steps[0]))
    reset_edge(tree, edge + count - 1, int64(steps[count - 1]))
    child = make_child(tree, edge)
    last = child if count == 1 or child == NOTHING else make_child(tree, edge + 1)
    if last == NOTHING:
        return NOTHING
    if count == 2:
        tree.first_edge[child], tree.edge_count[child], tree.mover[child] = edge + 1, 1, winner
        tree.solved[last] = winner
    tree.edge_count[node], tree.mover[node] = 1, winner
    tree.solved[child] = tree.solved[node] = winner
    return edge


@jitable
def revise_priors(board: Record, state: Record, tree: Tree, node: int, steps: Int16s) -> None:
    """Let the game revise the priors of the steps from `node`; `steps` is a work buffer."""
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
    """Set the priors of `count` edges from `first` on: placements by the network's `logits`.

    The game's knowledge gives the priors of a stop and of a pass, if `tuning.priors` allows it.
    `steps` is a work buffer.
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
    """Let `node` share the edges and the table of its twin: the same two stones in reverse order.

    `node` is reached from the node `before` by the steps `first`, then `second`; the caller has set
    its `first_edge` to TAKEN. Returns whether the twin has edges. The contract of the rules
    (`engine.kernel.generic`) says that both orders lead to the same position. Threads that reach
    both orders at the same moment make separate edges for each.
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
