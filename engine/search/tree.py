"""The search tree: nodes as parallel arrays, and the tables of all-moves-as-first values.

A node is one step: a stone, a stop or a pass. The children of a node lie side by side, so a node
names its first child and their number. Results are counted in points (`WIN` for a win), from the
view of the player who made the step: whole numbers stay exact however long a search runs.

Several threads may grow one tree without a lock. A block of children or a table belongs to the
thread that made its number `TAKEN`, and nobody reads it before its number is published; it never
changes its place. Visits and points are added by atomic instructions. A result, once it is proved,
stays. Only what is added to the tables is plain: of two threads that add at the same moment, what
one adds to some steps may be lost, which the means hardly notice.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel.atomics import exchange, publish, published
from engine.kernel.bits import int64
from engine.kernel.generic import compiled, jitable

ROOT = 0
NOTHING = -1
"""No child block, or no table, yet."""
TAKEN = -2
"""A thread is making it; for all others it is not there yet."""
NODES, TABLES = 0, 1
"""Where `Tree.used` counts them."""

UNSOLVED = 0
DRAWN = 3
"""In `Tree.solved`: 0 for not known, 1 or 2 for the player who wins, 3 for a draw."""

BYTES_PER_NODE = 27
NODE_SHARE = 0.75
"""The part of the memory that goes to nodes; the tables get the rest."""

Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


class Tree(NamedTuple):
    """Arrays of one tree. `used` holds the number of nodes and of tables in use."""

    first_child: Int32s
    child_count: Int16s
    step: Int16s
    mover: Int8s
    visits: Int32s
    points: Int64s
    table: Int32s
    solved: Int8s
    prior: Int8s
    amaf_visits: Int32s
    amaf_points: Int32s
    used: Int64s


def allocate(megabytes: float, n_steps: int) -> Tree:
    """A tree with its root alone that fits in so many megabytes; the pages are touched as it grows.

    `mover` is the player to move at a node, known once the node is expanded; `prior` is what the
    game's knowledge says of the node's step (`engine.kernel.generic.priors`). `amaf_visits` and
    `amaf_points` have the shape (tables, 2 players, n_steps).
    """
    memory = megabytes * 2**20
    nodes = max(4 * n_steps, int(memory * NODE_SHARE) // BYTES_PER_NODE)
    tables = max(4, int(memory * (1 - NODE_SHARE)) // (2 * n_steps * 8))
    tree = Tree(
        first_child=np.empty(nodes, np.int32),
        child_count=np.empty(nodes, np.int16),
        step=np.empty(nodes, np.int16),
        mover=np.empty(nodes, np.int8),
        visits=np.empty(nodes, np.int32),
        points=np.empty(nodes, np.int64),
        table=np.empty(nodes, np.int32),
        solved=np.empty(nodes, np.int8),
        prior=np.empty(nodes, np.int8),
        amaf_visits=np.empty((tables, 2, n_steps), np.int32),
        amaf_points=np.empty((tables, 2, n_steps), np.int32),
        used=np.zeros(2, np.int64),
    )
    clear(tree)
    return tree


@compiled
def clear(tree: Tree) -> None:
    tree.used[0] = 1
    tree.used[1] = 0
    reset_node(tree, ROOT, NOTHING)


@jitable
def reset_node(tree: Tree, node: int, step: int) -> None:
    tree.first_child[node] = NOTHING
    tree.child_count[node] = 0
    tree.step[node] = step
    tree.mover[node] = 0
    tree.visits[node] = 0
    tree.points[node] = 0
    tree.table[node] = NOTHING
    tree.solved[node] = UNSOLVED
    tree.prior[node] = 0


@compiled
def find_child(tree: Tree, node: int, step: int) -> int:
    """The child of `node` that makes `step`, or -1."""
    first = published(tree.first_child, node)
    if first < 0:
        return NOTHING
    for child in range(first, first + tree.child_count[node]):
        if tree.step[child] == step:
            return child
    return NOTHING


@jitable
def new_table(tree: Tree) -> int:
    """The number of an empty table, or -1 when the memory is full."""
    table = take(tree, TABLES, 1, tree.amaf_visits.shape[0])
    if table == NOTHING:
        return NOTHING
    for player in range(2):
        for step in range(tree.amaf_visits.shape[2]):
            tree.amaf_visits[table, player, step] = 0
            tree.amaf_points[table, player, step] = 0
    return table


@jitable
def give_table(tree: Tree, node: int) -> None:
    """Give a node without one a table, if there is memory."""
    if exchange(tree.table, node, NOTHING, TAKEN):
        publish(tree.table, node, new_table(tree))


@jitable
def take(tree: Tree, kind: int, count: int, size: int) -> int:
    """The first of `count` nodes or tables that from now on are the caller's, or -1 when fewer of
    the `size` are left.
    """
    while True:
        first = published(tree.used, kind)
        if first + count > size:
            return NOTHING
        if exchange(tree.used, kind, first, first + count):
            return first


@jitable
def fullness(tree: Tree) -> float:
    return float(tree.used[0] / tree.step.shape[0])


def copy_subtree(source: Tree, target: Tree, root: int) -> None:
    """Make `target`, of the same sizes, hold what hangs below `root`; what is shared stays so."""
    nodes, tables = source.used
    moved = Moved(
        node=np.empty(nodes, np.int32),
        block=np.full(nodes, NOTHING, np.int32),
        table=np.full(tables, NOTHING, np.int32),
    )
    clear(target)
    copy_below(source, target, root, moved)


class Moved(NamedTuple):
    """What became what: the old number of each new node, the new number of old blocks, tables."""

    node: Int32s
    block: Int32s
    table: Int32s


@compiled
def copy_below(source: Tree, target: Tree, root: int, moved: Moved) -> None:
    """Copy node by node, the children of each to the end of what is copied so far."""
    copy_node(source, target, root, ROOT)
    moved.node[ROOT] = root
    node = int64(ROOT)
    while node < target.used[0]:
        old = int64(moved.node[node])
        copy_table(source, target, moved.table, old, node)
        block = int64(source.first_child[old])
        if block != NOTHING and moved.block[block] == NOTHING:
            start = target.used[0]
            moved.block[block] = start
            for offset in range(source.child_count[old]):
                copy_node(source, target, block + offset, start + offset)
                moved.node[start + offset] = block + offset
            target.used[0] = start + source.child_count[old]
        if block != NOTHING:
            target.first_child[node] = moved.block[block]
        node += 1


@jitable
def copy_node(source: Tree, target: Tree, old: int, new: int) -> None:
    target.first_child[new] = NOTHING
    target.child_count[new] = source.child_count[old]
    target.step[new] = source.step[old]
    target.mover[new] = source.mover[old]
    target.visits[new] = source.visits[old]
    target.points[new] = source.points[old]
    target.table[new] = NOTHING
    target.solved[new] = source.solved[old]
    target.prior[new] = source.prior[old]


@jitable
def copy_table(source: Tree, target: Tree, moved: Int32s, old: int, new: int) -> None:
    table = int64(source.table[old])
    if table == NOTHING:
        return
    if moved[table] == NOTHING:
        copy = target.used[1]
        moved[table] = copy
        for player in range(2):
            for step in range(source.amaf_visits.shape[2]):
                target.amaf_visits[copy, player, step] = source.amaf_visits[table, player, step]
                target.amaf_points[copy, player, step] = source.amaf_points[table, player, step]
        target.used[1] = copy + 1
    target.table[new] = moved[table]
