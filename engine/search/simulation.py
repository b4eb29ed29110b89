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

import numpy as np

from engine.kernel.atomics import add, published
from engine.kernel.bits import int64
from engine.kernel.generic import (
    WIN,
    Record,
    compiled,
    copy_state,
    guided_playout,
    jitable,
    owners,
    playout,
    result_of,
)
from engine.kernel.halt import is_halted
from engine.neural.network import Network
from engine.search.descent import Scratch, descend
from engine.search.tree import DRAWN, ROOT, UNSOLVED, Int64s, Tree
from engine.search.tuning import Tuning

MOST_COUNTED = 2**23
"""Visits of a node above which its table does not change any more. By then the results of its
children outweigh the table, and the points of two nodes that share it stay within 32 bits."""


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
    """Run playouts from `root` until none are left, the root is solved or the search is halted.

    Returns how many this call ran, at least one if any were left. `state` is a work record. `left`
    has one element, the playouts left, from which all threads that grow `tree` take. The game must
    not be over at `root`.
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
            if tuning.table_visits >= 0:
                mark_stones(board, state, work, length, result)
                add_to_tables(tree, work, length)
        if is_halted(work.halt):
            break
    return done


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
