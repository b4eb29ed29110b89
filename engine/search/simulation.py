"""Playouts: down the tree, on to the end of the game or nearly, and the result back up."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel.atomics import add, exchange, publish, published
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
    best_edge,
    make_edges,
    network_priors,
    revise_priors,
    share_edges,
    solved_value,
)
from engine.search.tree import (
    DRAWN,
    NOTHING,
    ROOT,
    TAKEN,
    UNSOLVED,
    Int8s,
    Int16s,
    Int32s,
    Int64s,
    Tree,
    fullness,
    give_table,
    make_child,
)

LONGEST_PATH = 512
"""Steps below the root that the tree can follow; deeper, a playout takes over."""
LEFT, SHARED, GREW = 0, 1, 2
"""What became of a leaf: it got no edges, those of its twin, or its own."""
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
    path_steps: Int16s
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
        path_steps=np.zeros(LONGEST_PATH, np.int16),
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
    left: Int64s,
) -> int:
    """Run playouts from the position `root`, in the record `state`, until none are left or the root
    is solved.

    Returns the number run. `left` holds one number, from which all threads take that grow `tree`.
    `root` must not be over.
    """
    done = 0
    while tree.solved[ROOT] == UNSOLVED and add(left, 0, -1) > 0:
        done += 1
        copy_state(state, root)
        length, judged = descend(board, state, tree, work, tuning, network)
        leaf = work.path[length - 1]
        if tree.solved[leaf] != UNSOLVED:
            add_points(tree, work, length, result_of(winner_of(tree.solved[leaf])))
        else:
            result = finish(board, state, work, tuning, judged)
            add_points(tree, work, length, result)
            mark_stones(board, state, work, length, result)
            add_to_tables(tree, work, length)
    return done


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
    """Follow the best children from the root to a leaf, counting visits, and grow it; where there
    is a network, it judges the leaf, and the way ends there.

    Returns the path's length and whether its end was judged.
    """
    node, length, table = ROOT, 1, NOTHING
    judges = network.layers.shape[0] > 0
    work.path[0] = ROOT
    work.movers[0] = 0
    visits = add(tree.visits, ROOT, 1)
    while length < LONGEST_PATH and tree.solved[node] == UNSOLVED:
        if is_over(board, state):
            winner = outcome(board, state)
            tree.solved[node] = DRAWN if winner == 0 else winner
            break
        if published(tree.first_edge, node) < 0:
            grown = grow(board, state, tree, work, tuning, network, length, visits)
            if grown != SHARED and judges:
                return length, True
            if grown == LEFT:
                break
        if tuning.priors and visits == tuning.revision_visits:
            revise_priors(board, state, tree, node, work.steps)
        table = reading_table(tree, node, visits, table, tuning)
        edge = best_edge(tree, node, table, tuning)
        if edge == ALL_SOLVED:
            tree.solved[node] = solved_value(tree, node)
            break
        child = make_child(tree, edge)
        if child != NOTHING and tree.solved[child] == tree.mover[node]:
            tree.solved[node] = tree.mover[node]
            break
        step = int64(tree.step[edge])
        if child == NOTHING:
            play_step(board, state, step)
            return length, last_look(board, state, work, network)
        work.movers[length] = state.player
        work.path[length] = child
        work.path_steps[length] = step
        length += 1
        visits = add(tree.visits, child, 1)
        play_step(board, state, step)
        node = child
    return length, False


@jitable
def last_look(board: Record, state: Record, work: Scratch, network: Network) -> bool:
    """Let the network judge a position for which there is no memory; returns whether it did."""
    if network.layers.shape[0] == 0 or is_over(board, state):
        return False
    judge(board, state, network, work.thoughts)
    return True


@jitable
def grow(
    board: Record,
    state: Record,
    tree: Tree,
    work: Scratch,
    tuning: Tuning,
    network: Network,
    length: int,
    visits: int,
) -> int:
    """Give the leaf at the end of the path edges if its visits before this one have earned them,
    there is memory, and no other thread is doing it; and let the network judge it, unless it was.

    Returns GREW, SHARED or LEFT.
    """
    node = int64(work.path[length - 1])
    judges = network.layers.shape[0] > 0
    grows = node == ROOT or visits >= visits_to_expand(tree, tuning)
    grows = grows and exchange(tree.first_edge, node, NOTHING, TAKEN)
    first = NOTHING
    if grows:
        if length >= 3 and work.movers[length - 1] == work.movers[length - 2]:
            before = int64(work.path[length - 3])
            stones = int64(work.path_steps[length - 2]), int64(work.path_steps[length - 1])
            if share_edges(tree, before, stones[0], stones[1], node):
                return SHARED
        knows = tuning.priors and not judges
        first = make_edges(board, state, tree, node, work.steps, work.rng, knows)
    if judges:
        judge(board, state, network, work.thoughts)
        if first != NOTHING:
            count, logits = int64(tree.edge_count[node]), work.thoughts.logits
            network_priors(board, state, tree, first, count, work.steps, logits, tuning)
    if grows:
        publish(tree.first_edge, node, first)
    return LEFT if first == NOTHING else GREW


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
def reading_table(tree: Tree, node: int, visits: int, inherited: int, tuning: Tuning) -> int:
    """The table by which to choose at `node`, which has had so many visits: its own once that has
    seen enough.
    """
    own = published(tree.table, node)
    if own == NOTHING and (node == ROOT or visits >= tuning.table_visits):
        give_table(tree, node)
        own = published(tree.table, node)
    if own < 0:
        return inherited
    if inherited == NOTHING or visits >= tuning.reference_visits:
        return own
    return inherited


@jitable
def add_points(tree: Tree, work: Scratch, length: int, result: int) -> None:
    """Count the first player's `result` at every node of the path, for whoever stepped there."""
    for depth in range(length):
        node = int64(work.path[depth])
        add(tree.points, node, result if work.movers[depth] == 1 else WIN - result)


@jitable
def mark_stones(board: Record, state: Record, work: Scratch, length: int, result: int) -> None:
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
            step = work.path_steps[depth]
            if step >= 0 and work.movers[depth] == player + 1:
                work.standing[player, step] = 1
                work.credit[player, step] = points


@jitable
def add_to_tables(tree: Tree, work: Scratch, length: int) -> None:
    """Count those stones in every table on the path."""
    for depth in range(length):
        node = work.path[depth]
        table = published(tree.table, int64(node))
        if table < 0 or tree.visits[node] > MOST_COUNTED:
            continue
        for player in range(2):
            for step in range(work.owner.shape[0]):
                tree.amaf_visits[table, player, step] += work.standing[player, step]
                tree.amaf_points[table, player, step] += work.credit[player, step]
