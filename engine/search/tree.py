"""The search tree as parallel arrays: nodes, the edges between them, and tables.

A table holds all-moves-as-first values, of each step how it did wherever it was played later.

An edge is one step: a stone, a stop or a pass. The edges of a node lie side by side, a block, so a
node names the first of them and their number. An edge leads to a node from the first visit on: most
are never followed, and an edge alone is small. Results are counted in points (`WIN` for a win),
from the view of the player who made the step: whole numbers stay exact however long a search runs.

Several threads may grow one tree without a lock. A block of edges or a table belongs to the thread
that made its number `TAKEN`, and nobody reads it before its number is published; it never changes
its place. Of two nodes that are made for one edge, one is published, the other forgotten. Visits
and points are added by atomic instructions. A result, once it is proved, stays. Only what is added
to the tables is plain: of two threads that add at the same moment, what one adds to some steps may
be lost, which the means hardly notice.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel.atomics import exchange, publish, published
from engine.kernel.bits import int64
from engine.kernel.generic import compiled, jitable

ROOT = 0
NOTHING = -1
"""No edges, no node, or no table, yet."""
TAKEN = -2
"""A thread is making it; for all others it is not there yet."""
NODES, EDGES, TABLES = 0, 1, 2
"""Where `Tree.used` counts them."""

UNSOLVED = 0
DRAWN = 3
"""In `Tree.solved`: 0 for not known, 1 or 2 for the player who wins, 3 for a draw."""

BYTES_PER_NODE = 24
BYTES_PER_EDGE = 7
TABLES_FOR_PLAYOUTS: Final = 0.6
TABLES_FOR_NETWORK: Final = 0.3
"""Tables for each block of as many edges as the board has steps: where every leaf grows at once,
fewer nodes are visited often."""

Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


class Tree(NamedTuple):
    """Arrays of one tree. `used` holds the number of nodes, edges and tables in use.

    By node: `mover` is the player to move there, known once the node is expanded. By edge: `child`
    is the node that it leads to, `prior` what is thought of its step before it is tried
    (`engine.kernel.generic.priors`). `amaf_visits` and `amaf_points` have the shape (tables,
    2 players, n_steps).
    """

    first_edge: Int32s
    edge_count: Int16s
    mover: Int8s
    visits: Int32s
    points: Int64s
    table: Int32s
    solved: Int8s
    child: Int32s
    step: Int16s
    prior: Int8s
    amaf_visits: Int32s
    amaf_points: Int32s
    used: Int64s


def allocate(megabytes: float, n_steps: int, tables: float = TABLES_FOR_PLAYOUTS) -> Tree:
    """A tree with its root alone that fits in so many megabytes; the pages are touched as it
    grows. There is room for so many tables for each block of edges.
    """
    # When memory is short a node needs many visits for edges, each perhaps to another child.
    nodes_per_block = 4 + n_steps / 20
    bytes_per_block = (
        n_steps * BYTES_PER_EDGE + nodes_per_block * BYTES_PER_NODE + tables * 2 * n_steps * 8
    )
    blocks = max(4.0, megabytes * 2**20 / bytes_per_block)
    nodes, edges = int(blocks * nodes_per_block), int(blocks * n_steps)
    n_tables = max(4, int(blocks * tables))
    tree = Tree(
        first_edge=np.empty(nodes, np.int32),
        edge_count=np.empty(nodes, np.int16),
        mover=np.empty(nodes, np.int8),
        visits=np.empty(nodes, np.int32),
        points=np.empty(nodes, np.int64),
        table=np.empty(nodes, np.int32),
        solved=np.empty(nodes, np.int8),
        child=np.empty(edges, np.int32),
        step=np.empty(edges, np.int16),
        prior=np.empty(edges, np.int8),
        amaf_visits=np.empty((n_tables, 2, n_steps), np.int32),
        amaf_points=np.empty((n_tables, 2, n_steps), np.int32),
        used=np.zeros(3, np.int64),
    )
    clear(tree)
    return tree


@compiled
def clear(tree: Tree) -> None:
    for kind in range(tree.used.shape[0]):
        tree.used[kind] = 0
    tree.used[NODES] = 1
    reset_node(tree, ROOT)


@jitable
def reset_node(tree: Tree, node: int) -> None:
    tree.first_edge[node] = NOTHING
    tree.edge_count[node] = 0
    tree.mover[node] = 0
    tree.visits[node] = 0
    tree.points[node] = 0
    tree.table[node] = NOTHING
    tree.solved[node] = UNSOLVED


@jitable
def reset_edge(tree: Tree, edge: int, step: int) -> None:
    tree.child[edge] = NOTHING
    tree.step[edge] = step
    tree.prior[edge] = 0


@compiled
def find_edge(tree: Tree, node: int, step: int) -> int:
    """The edge of `node` that makes `step`, or -1."""
    first = published(tree.first_edge, node)
    if first < 0:
        return NOTHING
    for edge in range(first, first + tree.edge_count[node]):
        if tree.step[edge] == step:
            return edge
    return NOTHING


@compiled
def find_child(tree: Tree, node: int, step: int) -> int:
    """The node that `step` leads to from `node`, or -1 if it was never visited."""
    edge = find_edge(tree, node, step)
    return NOTHING if edge == NOTHING else published(tree.child, edge)


@jitable
def make_child(tree: Tree, edge: int) -> int:
    """The node that `edge` leads to, a new one if it has none; -1 when the memory is full."""
    child = published(tree.child, edge)
    if child != NOTHING:
        return child
    child = take(tree, NODES, 1, tree.visits.shape[0])
    if child == NOTHING:
        return NOTHING
    reset_node(tree, child)
    exchange(tree.child, edge, NOTHING, child)
    return published(tree.child, edge)


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
    """The first of `count` nodes, edges or tables that from now on are the caller's, or -1 when
    fewer of the `size` are left.
    """
    while True:
        first = published(tree.used, kind)
        if first + count > size:
            return NOTHING
        if exchange(tree.used, kind, first, first + count):
            return first


@jitable
def fullness(tree: Tree) -> float:
    """How much of the memory is in use: of that for nodes or for edges, whichever is shorter."""
    nodes = float(tree.used[NODES] / tree.visits.shape[0])
    return max(nodes, float(tree.used[EDGES] / tree.step.shape[0]))


def copy_subtree(source: Tree, target: Tree, root: int) -> None:
    """Make `target`, of the same sizes, hold what hangs below `root`; what is shared stays so."""
    nodes, edges, tables = source.used
    moved = Moved(
        node=np.empty(nodes, np.int32),
        block=np.full(edges, NOTHING, np.int32),
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
    while node < target.used[NODES]:
        old = int64(moved.node[node])
        copy_table(source, target, moved.table, old, node)
        block = int64(source.first_edge[old])
        if block != NOTHING:
            if moved.block[block] == NOTHING:
                moved.block[block] = target.used[EDGES]
                copy_edges(source, target, block, int64(source.edge_count[old]), moved.node)
            target.first_edge[node] = moved.block[block]
        node += 1


@jitable
def copy_edges(source: Tree, target: Tree, first: int, count: int, moved: Int32s) -> None:
    """Copy these edges and the nodes that they lead to."""
    start, nodes = int64(target.used[EDGES]), int64(target.used[NODES])
    for offset in range(count):
        reset_edge(target, start + offset, int64(source.step[first + offset]))
        target.prior[start + offset] = source.prior[first + offset]
        child = int64(source.child[first + offset])
        if child != NOTHING:
            copy_node(source, target, child, nodes)
            target.child[start + offset] = nodes
            moved[nodes] = child
            nodes += 1
    target.used[EDGES] = start + count
    target.used[NODES] = nodes


@jitable
def copy_node(source: Tree, target: Tree, old: int, new: int) -> None:
    """Copy a node without its edges and its table."""
    target.first_edge[new] = NOTHING
    target.edge_count[new] = source.edge_count[old]
    target.mover[new] = source.mover[old]
    target.visits[new] = source.visits[old]
    target.points[new] = source.points[old]
    target.table[new] = NOTHING
    target.solved[new] = source.solved[old]


@jitable
def copy_table(source: Tree, target: Tree, moved: Int32s, old: int, new: int) -> None:
    table = int64(source.table[old])
    if table == NOTHING:
        return
    if moved[table] == NOTHING:
        copy = target.used[TABLES]
        moved[table] = copy
        for player in range(2):
            for step in range(source.amaf_visits.shape[2]):
                target.amaf_visits[copy, player, step] = source.amaf_visits[table, player, step]
                target.amaf_points[copy, player, step] = source.amaf_points[table, player, step]
        target.used[TABLES] = copy + 1
    target.table[new] = moved[table]
