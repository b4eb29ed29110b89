"""Playouts: descend the tree, play the game to its end or nearly, and add the result to the path.

`simulate` is the loop that each thread of a search runs.
"""

# The problem: a search must find good turns from few playouts. With two stones per turn there are
# hundreds or thousands of turns in a position, so most have no results of their own for a long
# time. A long random game also says little about the position in which it began.
#
# The idea: one playout gives as much information as it can, and each part is cheap.
# - `descend` follows the best edges to a leaf. `grow` gives the leaf edges once it has enough
#   visits. Two stones in either order lead to one position, so both nodes share one set of edges.
# - `finish` plays on by the game's knowledge. It may stop before the end of the game and return any
#   expected result from 0 to WIN. The result is therefore counted in points, not in wins.
# - `add_points` adds the result to the nodes of the path. `mark_stones` and `add_to_tables` also
#   credit all stones that count at the end of the playout (AMAF). So one playout says something
#   about dozens of steps, in every table on the path.
# - With a network, the way down ends at the first leaf that the network evaluates. The result is
#   the weighted mean of its value and of the playout from there. The evaluation gives the priors as
#   well, so every such leaf gets edges at its first visit.
# - The descent also proves results. A node is solved if a child is a win for its mover, or if all
#   its children are solved. A proof moves up one node at a time, in later playouts.
#
# When memory runs short, leaves need more visits for edges (`visits_to_expand`). When no node is
# left, the playout starts where the tree ends. The search never stops for lack of memory.
#
# Rejected:
# - Playouts of Blooms to the end of the game. Playouts of eight turns, then judged by liberties,
#   won 80 of 100 games against the search without knowledge; before, it was 72 %.
# - Judging Blooms right after the four guided turns, without the four random ones: it won less.
# - The revised priors of Stargazers for every new node. They are expensive; computed at 12 visits
#   of a node, they leave time for a tenth more positions.

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel.atomics import add, exchange, publish, published
from engine.kernel.bits import int64
from engine.kernel.generic import (
    NO_PROOF,
    UNPROVED,
    WIN,
    Memory,
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
    prove,
    result_of,
)
from engine.neural.evaluation import Activations, activations, judge
from engine.neural.network import Network
from engine.search.descent import (
    ALL_SOLVED,
    Tuning,
    best_edge,
    make_edges,
    make_win,
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
    bring_forward,
    find_edge,
    fullness,
    give_table,
    make_child,
)

LONGEST_PATH = 512
"""Nodes of a path, with the root; deeper, a playout leaves the tree."""
LEFT, SHARED, GREW = 0, 1, 2
"""Results of `grow`: the leaf got no edges, those of its twin, or its own."""
MOST_COUNTED = 2**23
"""Visits of a node above which its table does not change any more. By then the results of its
children outweigh the table, and the points of two nodes that share it stay within 32 bits."""


class Scratch(NamedTuple):
    """The buffers of one thread: the path of a playout, and the stones that it credits.

    `path`, `path_steps` and `movers` have, for each node of the path, its number, the step that led
    to it and the player who made the step. `standing` is 1 for each credited stone and `credit` the
    points that it won; both have the shape (2 players, n_steps). `thoughts` are the buffers of the
    network, `proofs` those of the game's prover.
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
    proofs: Memory


def scratch(n_steps: int, seed: int, network: Network, proofs: Memory) -> Scratch:
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
        proofs=proofs,
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
    """Run playouts from the position `root` until none are left or the root is solved.

    Returns how many this call ran. `state` is a work record. `left` has one element, the playouts
    left, from which all threads that grow `tree` take. The game must not be over at `root`.
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


@compiled
def prove_root(
    board: Record, root: Record, state: Record, tree: Tree, work: Scratch, nodes: int
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
        work.steps[position] = tree.step[first + position]
    winner, kept = prove(board, state, work.proofs, nodes, work.steps, count)
    if winner == state.player:
        win = make_win(tree, ROOT, winner, work.steps, kept)
        if win != NOTHING:
            tree.first_edge[ROOT] = win
        return NO_PROOF
    for position in range(kept if kept < count else 0):
        bring_forward(tree, first + position, find_edge(tree, ROOT, int64(work.steps[position])))
    tree.edge_count[ROOT] = kept
    return NO_PROOF if winner > 0 else winner


@jitable
def finish(board: Record, state: Record, work: Scratch, tuning: Tuning, judged: bool) -> int:
    """Play on from `state` and return the expected result of the first player, 0 to WIN.

    If the network `judged` the position, the result is the weighted mean of both.
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
    """Follow the best edges from the root to a leaf, count the visits, and grow the leaf.

    With a network, the descent ends at the leaf that the network evaluates. Returns the length of
    the path and whether the network evaluated its end.
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
            if grown == LEFT or tree.solved[node] != UNSOLVED:
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
    """Evaluate a position for which no node is left; return whether a network did so."""
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
    """Give the leaf at the end of the path edges, and let the network, if any, evaluate it.

    `visits` are those before this playout. The leaf gets edges if they suffice, memory is left and
    no other thread is making them. A leaf that gets the edges of its twin is not evaluated: its
    position was already. Returns GREW, SHARED or LEFT.
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
        first = make_edges(
            board, state, tree, node, work.steps, work.rng, knows, work.proofs, tuning.proof_nodes
        )
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
    """Return the visits at which a leaf gets edges.

    The number rises as the memory fills, so the tree keeps growing where the search visits most.
    """
    full = fullness(tree)
    if full < 0.5:
        return tuning.expand_visits
    return max(tuning.expand_visits, 1) * (4 if full < 0.75 else 16)


@jitable
def reading_table(tree: Tree, node: int, visits: int, inherited: int, tuning: Tuning) -> int:
    """Return the table to read at `node`, NOTHING if there is none yet.

    It is the node's own table from `tuning.reference_visits` visits on, else the `inherited` one of
    an ancestor. A node that has enough visits for its own table gets one here.
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
    """Add the first player's `result` to each node of the path, as points of the step's mover."""
    for depth in range(length):
        node = int64(work.path[depth])
        add(tree.points, node, result if work.movers[depth] == 1 else WIN - result)


@jitable
def mark_stones(board: Record, state: Record, work: Scratch, length: int, result: int) -> None:
    """Mark the stones that the game credits at the end of the playout, and the points they won.

    Stones placed on the path are marked too, for the player who placed them.
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
    """Add the marked stones to every table on the path."""
    for depth in range(length):
        node = work.path[depth]
        table = published(tree.table, int64(node))
        if table < 0 or tree.visits[node] > MOST_COUNTED:
            continue
        for player in range(2):
            for step in range(work.owner.shape[0]):
                tree.amaf_visits[table, player, step] += work.standing[player, step]
                tree.amaf_points[table, player, step] += work.credit[player, step]
