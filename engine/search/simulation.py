"""Playouts: down the tree, on to the end of the game or nearly, and the result back up."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel.bits import int64
from engine.kernel.generic import (
    WIN,
    Record,
    compiled,
    copy_state,
    guided_playout,
    is_over,
    jitable,
    outcome,
    owners,
    play_step,
    playout,
    result_of,
)
from engine.neural.evaluation import Activations, activations, judge
from engine.neural.network import Network
from engine.search.descent import (
    ALL_SOLVED,
    Tuning,
    best_child,
    expand,
    network_priors,
    revise_priors,
    share_children,
    solved_value,
)
from engine.search.tree import (
    DRAWN,
    NOTHING,
    ROOT,
    UNSOLVED,
    Int8s,
    Int16s,
    Int32s,
    Tree,
    fullness,
    new_table,
)

LONGEST_PATH = 512
"""Steps below the root that the tree can follow; deeper, a playout takes over."""
LEFT, SHARED, GREW = 0, 1, 2
"""What became of a leaf: it got no children, those of its twin, or its own."""
MOST_COUNTED = 2**23
"""Visits of a node after which nothing is added to its table: the means of its children outweigh
it, and the points of two nodes that share it stay within 32 bits."""


class Scratch(NamedTuple):
    """What one thread works in: the path of the playout, and which steps were made and stand at its
    end.

    `standing` and `credit` have the shape (2 players, n_steps): 1, and the points won, for each
    stone.
    """

    path: Int32s
    movers: Int8s
    steps: Int16s
    owner: Int8s
    standing: Int32s
    credit: Int32s
    rng: npt.NDArray[np.uint64]
    thoughts: Activations


def scratch(n_steps: int, seed: int, network: Network) -> Scratch:
    return Scratch(
        path=np.zeros(LONGEST_PATH, np.int32),
        movers=np.zeros(LONGEST_PATH, np.int8),
        steps=np.zeros(n_steps + 2, np.int16),
        owner=np.zeros(n_steps, np.int8),
        standing=np.zeros((2, n_steps), np.int32),
        credit=np.zeros((2, n_steps), np.int32),
        rng=np.array([seed], np.uint64),
        thoughts=activations(network, n_steps),
    )


@compiled
def simulate(
    board: Record,
    root: Record,
    state: Record,
    tree: Tree,
    work: Scratch,
    tuning: Tuning,
    network: Network,
    playouts: int,
) -> int:
    """Run so many playouts from the position `root`, in the record `state`; stop early once the
    root is solved.

    Returns the number run. `root` must not be over.
    """
    for done in range(playouts):
        if tree.solved[ROOT] != UNSOLVED:
            return done
        copy_state(state, root)
        length, judged = descend(board, state, tree, work, tuning, network)
        leaf = work.path[length - 1]
        if tree.solved[leaf] != UNSOLVED:
            add_result(tree, work, length, result_of(winner_of(tree.solved[leaf])))
        else:
            result = finish(board, state, work, tuning, judged)
            add_result(tree, work, length, result)
            mark_stones(board, state, tree, work, length, result)
            add_to_tables(tree, work, length)
    return playouts


@jitable
def finish(board: Record, state: Record, work: Scratch, tuning: Tuning, judged: bool) -> int:
    """Play on and return what the first player may expect, 0 to WIN, as the network judged it too
    if it did.
    """
    expected = float(work.thoughts.expected[0])
    if state.player == 2:
        expected = 1.0 - expected
    if tuning.guided_playouts:
        result = guided_playout(board, state, work.rng)
    else:
        result = result_of(playout(board, state, work.rng))
    if not judged:
        return result
    share = tuning.network_share
    return int64(share * WIN * expected + (1.0 - share) * result + 0.5)


@jitable
def winner_of(solved: int) -> int:
    return 0 if solved == DRAWN else solved


@jitable
def descend(
    board: Record, state: Record, tree: Tree, work: Scratch, tuning: Tuning, network: Network
) -> tuple[int, bool]:
    """Follow the best children from the root to a leaf and grow it; where there is a network, it
    judges the leaf, and the way ends there.

    Returns the path's length and whether its end was judged.
    """
    node, length, table = ROOT, 1, NOTHING
    work.path[0] = ROOT
    work.movers[0] = 0
    while length < LONGEST_PATH and tree.solved[node] == UNSOLVED:
        if is_over(board, state):
            winner = outcome(board, state)
            tree.solved[node] = DRAWN if winner == 0 else winner
            break
        if tree.first_child[node] == NOTHING:
            judges = network.layers.shape[0] > 0
            grown = grow(board, state, tree, work, tuning, length, tuning.priors and not judges)
            if grown != SHARED and judges:
                judge(board, state, network, work.thoughts)
                if grown == GREW:
                    logits = work.thoughts.logits
                    network_priors(board, state, tree, node, work.steps, logits, tuning)
                return length, True
            if grown == LEFT:
                break
        if tuning.priors and tree.visits[node] == tuning.revision_visits:
            revise_priors(board, state, tree, node, work.steps)
        table = reading_table(tree, node, table, tuning)
        child = best_child(tree, node, table, tuning)
        if child == ALL_SOLVED or tree.solved[child] == tree.mover[node]:
            tree.solved[node] = solved_value(tree, node)
            break
        work.movers[length] = state.player
        work.path[length] = child
        length += 1
        play_step(board, state, int64(tree.step[child]))
        node = child
    return length, False


@jitable
def grow(
    board: Record,
    state: Record,
    tree: Tree,
    work: Scratch,
    tuning: Tuning,
    length: int,
    with_priors: bool,
) -> int:
    """Give the leaf at the end of the path children if it has earned them and there is memory.

    Returns GREW, SHARED or LEFT.
    """
    node = int64(work.path[length - 1])
    if node != ROOT and tree.visits[node] < visits_to_expand(tree, tuning):
        return LEFT
    same_turn = length >= 3 and work.movers[length - 1] == work.movers[length - 2]
    if same_turn:
        before, first_stone = int64(work.path[length - 3]), int64(work.path[length - 2])
        if share_children(tree, before, first_stone, node):
            return SHARED
    grew = expand(board, state, tree, node, work.steps, work.rng, with_priors)
    return GREW if grew else LEFT


@jitable
def visits_to_expand(tree: Tree, tuning: Tuning) -> int:
    """More and more as the memory fills, so that the tree keeps growing where the search looks
    most.
    """
    full = fullness(tree)
    if full < 0.5:
        return tuning.expand_visits
    return max(tuning.expand_visits, 1) * (4 if full < 0.75 else 16)


@jitable
def reading_table(tree: Tree, node: int, inherited: int, tuning: Tuning) -> int:
    """The table by which to choose at `node`: its own once that has seen enough."""
    if tree.table[node] == NOTHING and (node == ROOT or tree.visits[node] >= tuning.table_visits):
        tree.table[node] = new_table(tree)
    own = int64(tree.table[node])
    if own == NOTHING:
        return inherited
    if inherited == NOTHING or tree.visits[node] >= tuning.reference_visits:
        return own
    return inherited


@jitable
def add_result(tree: Tree, work: Scratch, length: int, result: int) -> None:
    """Count the first player's `result` at every node of the path, for whoever stepped there."""
    for depth in range(length):
        node = work.path[depth]
        tree.visits[node] += 1
        tree.points[node] += result if work.movers[depth] == 1 else WIN - result


@jitable
def mark_stones(
    board: Record, state: Record, tree: Tree, work: Scratch, length: int, result: int
) -> None:
    """Note the stones that stand at the end of the playout, those placed in the tree too, and what
    they won.
    """
    owners(board, state, work.owner)
    for player in range(2):
        points = result if player == 0 else WIN - result
        for step in range(work.owner.shape[0]):
            stands = np.int32(work.owner[step] == player + 1)
            work.standing[player, step] = stands
            work.credit[player, step] = stands * points
        for depth in range(1, length):
            step = tree.step[work.path[depth]]
            if step >= 0 and work.movers[depth] == player + 1:
                work.standing[player, step] = 1
                work.credit[player, step] = points


@jitable
def add_to_tables(tree: Tree, work: Scratch, length: int) -> None:
    """Count those stones in every table on the path."""
    for depth in range(length):
        node = work.path[depth]
        table = tree.table[node]
        if table == NOTHING or tree.visits[node] > MOST_COUNTED:
            continue
        for player in range(2):
            for step in range(work.owner.shape[0]):
                tree.amaf_visits[table, player, step] += work.standing[player, step]
                tree.amaf_points[table, player, step] += work.credit[player, step]
