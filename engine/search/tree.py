"""The search tree as parallel arrays: nodes, the edges between them, and tables.

A table has all-moves-as-first (AMAF) values: for each step, the results of playouts in which it was
played later.

An edge is one step: a stone, a stop or a pass. The edges of a node are contiguous and form a block,
so a node stores its first edge and the number of edges. An edge leads to a node from its first
visit on. Results are counted in points (`WIN` for a win), from the view of the player who made the
step. Points are integers, so they stay exact however long a search runs.

Several threads may grow one tree without a lock.
"""

# The problem: several threads search one position. They must share what they find, and each of
# them makes thousands of playouts per second. A playout writes to every node of its path, and all
# paths begin at the root.
#
# The idea: all threads descend one tree. Arrays of fixed size hold it, and nothing in it moves or
# is freed during a search, so a number stays valid. Four rules replace locks:
# - Memory is taken by compare-and-exchange on `used` (`take`). What a thread takes is its own.
# - A thread that makes a block of edges or a table first sets its number to TAKEN by
#   compare-and-exchange. It publishes the real number when all is written. Other threads treat any
#   negative number as absent, and play on without the edges or the table.
# - Two threads may make a node for the same edge. Compare-and-exchange publishes one of them, and
#   the other node remains unused.
# - Visits and points are added by atomic instructions. A proved result never changes.
#
# Only the tables are updated by plain additions. If two threads add at the same moment, one
# addition to some steps may be lost. Tables are read as means of many playouts, so this hardly
# matters.
#
# Threads must also not all follow the same path. A playout counts its visits on the way down and
# its points on the way up, so a path in use looks worse until its result arrives (virtual loss).
#
# Two threads win 68 % of the games against one at equal time: see "Two threads" in
# docs/performance.md.
#
# Rejected:
# - A tree for each thread, with its share of the memory, and visits added up at the end. Each
#   tree then has only its share of the playouts too.
# - A node for each untried step. With a network every leaf gets edges at once, and most of the
#   memory went to children without visits. An edge of 7 bytes replaces 27 bytes; half of the memory
#   lasts for 2.8 times as many playouts with a network and for 2.0 times without.
# - Testing a table's number for NOTHING alone. A number that was TAKEN is negative too, and as an
#   index it pointed to the last table but one.

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel.atomics import exchange, publish, published
from engine.kernel.bits import int64
from engine.kernel.generic import compiled, jitable
from engine.search.tree_memory import reserved, return_pages

ROOT = 0
NOTHING = -1
"""The number of edges, a node or a table that do not exist yet."""
TAKEN = -2
"""The number of edges or of a table in the making; other threads treat them as absent."""
NODES, EDGES, TABLES = 0, 1, 2
"""Indices into `Tree.used`."""

UNSOLVED = 0
DRAWN = 3
"""Values of `Tree.solved`: 0 for unknown, 1 or 2 for the player who wins, 3 for a draw."""
REFUTED: Final = -128
"""The prior of an edge that is proved to be useless: every turn that begins with its step loses,
unless the turn's other stone begins it as well. The edge stays, because other threads may read it.
"""

BYTES_PER_NODE = 24
BYTES_PER_EDGE = 7
TABLES_FOR_PLAYOUTS: Final = 0.6
TABLES_FOR_NETWORK: Final = 0.3
"""Tables for each block of edges, which has as many edges as the board has steps. With a network
every leaf gets edges at once, so a smaller part of the nodes has many visits."""

Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


class Tree(NamedTuple):
    """The arrays of one tree; `used` has the number of nodes, edges and tables in use.

    - By node, `first_edge` to `solved`: `mover` is the player to move, set when the node gets
      edges. `table` is the number of its table.
    - By edge, `child` to `prior`: `child` is the node that the edge leads to. `prior` says how
      promising its step looks before the search tries it (`engine.kernel.generic.priors`).
    - By table: `amaf_visits` and `amaf_points` have the shape (tables, 2 players, n_steps).
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
    """Return a tree that has only its root, of at most about `megabytes` when it is full.

    The tree uses memory pages only as it grows. `n_steps` are the placements on the board, `tables`
    the tables for each block of edges.
    """
    # When memory is short, a node needs many visits for edges, and each may go to another child.
    nodes_per_block = 4 + n_steps / 20
    bytes_per_block = (
        n_steps * BYTES_PER_EDGE + nodes_per_block * BYTES_PER_NODE + tables * 2 * n_steps * 8
    )
    blocks = max(4.0, megabytes * 2**20 / bytes_per_block)
    nodes, edges = int(blocks * nodes_per_block), int(blocks * n_steps)
    n_tables = max(4, int(blocks * tables))
    tree = Tree(
        **reserved(
            first_edge=((nodes,), np.int32),
            edge_count=((nodes,), np.int16),
            mover=((nodes,), np.int8),
            visits=((nodes,), np.int32),
            points=((nodes,), np.int64),
            table=((nodes,), np.int32),
            solved=((nodes,), np.int8),
            child=((edges,), np.int32),
            step=((edges,), np.int16),
            prior=((edges,), np.int8),
            amaf_visits=((n_tables, 2, n_steps), np.int32),
            amaf_points=((n_tables, 2, n_steps), np.int32),
            used=((3,), np.int64),
        )
    )
    clear(tree)
    return tree


def free(tree: Tree) -> None:
    """Return the memory of a tree to the system, and remove all but its root."""
    return_pages(tree.used)
    clear(tree)


@compiled
def clear(tree: Tree) -> None:
    """Remove all but the root, and reset it."""
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


@jitable
def find_edge(tree: Tree, node: int, step: int) -> int:
    """Return the edge of `node` for `step`, or NOTHING."""
    first = published(tree.first_edge, node)
    if first < 0:
        return NOTHING
    for edge in range(first, first + tree.edge_count[node]):
        if tree.step[edge] == step:
            return edge
    return NOTHING


@jitable
def bring_forward(tree: Tree, place: int, edge: int) -> None:
    """Exchange the edge at `place` of a block and another `edge` of the same block."""
    child, step, prior = tree.child[place], tree.step[place], tree.prior[place]
    tree.child[place], tree.step[place] = tree.child[edge], tree.step[edge]
    tree.prior[place] = tree.prior[edge]
    tree.child[edge], tree.step[edge], tree.prior[edge] = child, step, prior


@jitable
def find_child(tree: Tree, node: int, step: int) -> int:
    """Return the node that `step` leads to from `node`, or NOTHING if it has no visit."""
    edge = find_edge(tree, node, step)
    return NOTHING if edge == NOTHING else published(tree.child, edge)


@compiled
def child_of(tree: Tree, node: int, step: int) -> int:
    """Return what `find_child` does. For Python."""
    return find_child(tree, node, step)


@jitable
def make_child(tree: Tree, edge: int) -> int:
    """Return the node that `edge` leads to, made if needed; NOTHING when the memory is full."""
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
    """Return the number of a new, empty table, or NOTHING when the memory is full."""
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
    """Give a node without a table a new one, if memory is left."""
    if exchange(tree.table, node, NOTHING, TAKEN):
        publish(tree.table, node, new_table(tree))


@jitable
def take(tree: Tree, kind: int, count: int, size: int) -> int:
    """Reserve `count` contiguous nodes, edges or tables for the caller; return the first of them.

    Returns NOTHING when fewer than `count` of the `size` are left.
    """
    while True:
        first = published(tree.used, kind)
        if first + count > size:
            return NOTHING
        if exchange(tree.used, kind, first, first + count):
            return first


@jitable
def fullness(tree: Tree) -> float:
    """Return the part of the memory in use, 0 to 1: of nodes or edges, whichever is fuller."""
    nodes = float(tree.used[NODES] / tree.visits.shape[0])
    return max(nodes, float(tree.used[EDGES] / tree.step.shape[0]))


def copy_subtree(source: Tree, target: Tree, root: int) -> None:
    """Copy the part of `source` below `root` into `target`, which has arrays of the same sizes.

    Edges and tables that nodes of `source` share are shared in `target` too.
    """
    nodes, edges, tables = source.used
    moved = Moved(
        node=np.empty(nodes, np.int32),
        block=np.full(edges, NOTHING, np.int32),
        table=np.full(tables, NOTHING, np.int32),
    )
    clear(target)
    copy_below(source, target, root, moved)


class Moved(NamedTuple):
    """The mapping of numbers while a tree is copied.

    `node` has the old number of each new node, `block` and `table` the new number of each old block
    and table, NOTHING for those that are not copied yet.
    """

    node: Int32s
    block: Int32s
    table: Int32s


@compiled
def copy_below(source: Tree, target: Tree, root: int, moved: Moved) -> None:
    """Copy breadth first: append the children of each copied node to the nodes of `target`."""
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
    """Copy `count` edges from `first` on and the nodes that they lead to."""
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
    """Copy a node, but not its edges and its table."""
    target.first_edge[new] = NOTHING
    target.edge_count[new] = source.edge_count[old]
    target.mover[new] = source.mover[old]
    target.visits[new] = source.visits[old]
    target.points[new] = source.points[old]
    target.table[new] = NOTHING
    target.solved[new] = source.solved[old]


@jitable
def copy_table(source: Tree, target: Tree, moved: Int32s, old: int, new: int) -> None:
    """Copy the table of the node `old`, unless it is copied already, and give it to `new`."""
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
