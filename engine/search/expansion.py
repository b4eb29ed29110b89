"""Expansion: how a leaf gets its edges, with priors, and what the game's prover says of a node."""

import numpy as np

from engine.kernel.atomics import publish, published
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import (
    NO_PROOF,
    PASS,
    UNPROVED,
    Memory,
    Record,
    compiled,
    copy_state,
    is_over,
    jitable,
    play_step,
    priors,
    promising_steps,
    prove,
    revised_priors,
)
from engine.kernel.halt import Halt
from engine.search.tree import (
    EDGES,
    NOTHING,
    REFUTED,
    ROOT,
    Int16s,
    Tree,
    bring_forward,
    find_child,
    find_edge,
    make_child,
    reset_edge,
    take,
)
from engine.search.tuning import Tuning


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
    halt: Halt,
) -> int:
    """Make the edges of `node` in a random order, or solve it.

    The caller has set `first_edge` of the node to TAKEN, and publishes the number that this
    returns: the first edge, or NOTHING when the memory is full. `steps` is a work buffer. The game
    may look at `proof_nodes` positions for a proof. A lost node stays unsolved if it is the root or
    in the middle of a turn: the search has yet to find a turn to play.
    """
    count, winner = steps_to_search(board, state, steps), int64(UNPROVED)
    if proof_nodes > 0:
        winner, count = prove(board, state, memory, proof_nodes, halt, steps, count)
        if winner == state.player:
            return make_win(tree, node, winner, steps, count)
    start = write_edges(board, state, tree, node, steps, count, rng, with_priors)
    if start != NOTHING and winner > 0 and node != ROOT and state.step == 0:
        tree.solved[node] = winner
    return start


@jitable
def write_edges(
    board: Record,
    state: Record,
    tree: Tree,
    node: int,
    steps: Int16s,
    count: int,
    rng: np.ndarray,
    with_priors: bool,
) -> int:
    """Write edges of `node` for the first `count` of `steps`; return the first, or NOTHING."""
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
def prove_again(
    board: Record,
    state: Record,
    tree: Tree,
    node: int,
    steps: Int16s,
    memory: Memory,
    nodes: int,
    halt: Halt,
) -> None:
    """Let the game look at `nodes` positions for a proof of the result at an inner node.

    The steps that the proof leaves out are marked REFUTED. As in `make_edges`, a lost node stays
    unsolved in the middle of a turn; and so does a won one whose last stone has no edge. `steps`
    is a work buffer.
    """
    first, count = int64(tree.first_edge[node]), int64(tree.edge_count[node])
    for position in range(count):
        steps[position] = tree.step[first + position]
    winner, kept = prove(board, state, memory, nodes, halt, steps, count)
    if winner == state.player and state.step == 1:
        edge = find_edge(tree, node, int64(steps[0]))
        last = make_child(tree, edge) if edge != NOTHING else int64(NOTHING)
        if last == NOTHING:
            return
        tree.solved[last] = winner
    if winner > 0:
        if winner == state.player or state.step == 0:
            tree.solved[node] = winner
        return
    if kept == count:
        return
    for edge in range(first, first + count):
        stays = False
        for position in range(kept):
            stays = stays or steps[position] == tree.step[edge]
        if not stays:
            tree.prior[edge] = REFUTED


@compiled
def prove_root(
    board: Record,
    root: Record,
    state: Record,
    tree: Tree,
    steps: Int16s,
    memory: Memory,
    nodes: int,
    halt: Halt,
) -> int:
    """Let the game look at `nodes` positions for a proof of the result at the root.

    A won root is solved. If some steps are proved to lose, their edges are dropped. No other thread
    may use the tree. Returns NO_PROOF if more nodes would not find more.
    """
    first, count = int64(tree.first_edge[ROOT]), int64(tree.edge_count[ROOT])
    if first < 0:
        return UNPROVED
    copy_state(state, root)
    for position in range(count):
        steps[position] = tree.step[first + position]
    winner, kept = prove(board, state, memory, nodes, halt, steps, count)
    if winner == state.player:
        win = make_win(tree, ROOT, winner, steps, kept)
        if win != NOTHING:
            tree.first_edge[ROOT] = win
        return NO_PROOF
    for position in range(kept if kept < count else 0):
        bring_forward(tree, first + position, find_edge(tree, ROOT, int64(steps[position])))
    tree.edge_count[ROOT] = kept
    return NO_PROOF if winner > 0 else winner


@compiled
def exclude_turn(
    board: Record,
    root: Record,
    state: Record,
    tree: Tree,
    steps: Int16s,
    rng: np.ndarray,
    turn: Int16s,
    tuning: Tuning,
) -> None:
    """Let the search treat one order of a turn at the root as a proved loss of its player.

    The root and the node in the middle of the turn get edges here, without the priors of a network.
    `turn` has the steps of the turn, and STOP after the last. A turn that the search does not
    consider is ignored. No other thread may use the tree. `steps`
    is a work buffer.
    """
    copy_state(state, root)
    mover, node, place = int64(state.player), int64(ROOT), 0
    while state.player == mover and not is_over(board, state):
        if tree.first_edge[node] == NOTHING:
            count = steps_to_search(board, state, steps)
            first = write_edges(board, state, tree, node, steps, count, rng, tuning.priors)
            if first == NOTHING:
                return
            tree.first_edge[node] = first
        step = int64(turn[place])
        edge = find_edge(tree, node, step)
        node = make_child(tree, edge) if edge != NOTHING else int64(NOTHING)
        if node == NOTHING:
            return
        play_step(board, state, step)
        place += 1
    tree.solved[node] = 3 - mover


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
