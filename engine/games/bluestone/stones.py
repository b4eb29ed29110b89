"""What a stone of Bluestone does: it joins chains, closes walls, captures, shuts and opens cells.

The method is that of the fastest known playouts. Who may place where is never searched for: each
player has a list of open cells, from which cells are taken when they die. A stone can only cut a
region off if its neighbours of its own colour form two or more runs that already belong together
(or to the edge), or if it lies on the edge; only then are the regions next to it flooded, and a
flood ends as soon as it has met four blue stones or a cell known to live.

Why the lists are exact: a region that is dead for a player holds none of theirs (they would
have been captured), so it is all empty and walled in by one chain of the enemy. If it reaches the
edge, that chain touches four blue stones by itself; if not, the enemy gets no blue stone from it.
Either way no stone placed there captures the wall. So the closed regions of `abstractplay` and the
dead placements that `official` forbids are the same cells. They open again only when the wall
itself is captured; then they are part of the region that dies, and all of it opens to the capturer.
"""

from engine.games.bluestone.state import ABSENT
from engine.kernel.bits import count_ones, int64, lowest_one, uint64
from engine.kernel.generic import Record, jitable


@jitable
def find(state: Record, cell: int) -> int:
    """The root of the chain that holds `cell`; shortens the path on the way."""
    parent = int64(state.parent[cell])
    while parent != cell:
        above = state.parent[parent]
        state.parent[cell] = above
        cell = int64(above)
        parent = int64(state.parent[cell])
    return cell


@jitable
def open_cell(state: Record, side: int, cell: int) -> None:
    """Put `cell` at the end of a player's open cells, unless it is there."""
    if state.open_at[side, cell] == ABSENT:
        end = state.n_open[side]
        state.open[side, end] = cell
        state.open_at[side, cell] = end
        state.n_open[side] = end + 1


@jitable
def close_cell(state: Record, side: int, cell: int) -> None:
    """Take `cell` from a player's open cells, if it is there; the last one takes its place."""
    gap = int64(state.open_at[side, cell])
    if gap != ABSENT:
        end = state.n_open[side] - 1
        last = int64(state.open[side, end])
        state.open[side, gap] = last
        state.open_at[side, last] = gap
        state.open_at[side, cell] = ABSENT
        state.n_open[side] = end


@jitable
def closes_wall(board: Record, state: Record, cell: int, mask: int) -> bool:
    """Whether a stone away from the edge, with own stones at `mask`, completes a wall.

    It does if it joins two runs of own stones that already hang together, or that both reach the
    edge.
    """
    degree = int64(board.degree[cell])
    if board.runs[degree, mask] < 2:
        return False
    edges = 0
    a = b = -1
    starts = mask & ~(mask << 1 | mask >> (degree - 1))
    while starts:
        root = find(state, int64(board.neighbours[cell, lowest_one(starts)]))
        starts &= starts - 1
        edges += int64(state.chain_edge[root])
        if root in (a, b):
            return True
        a, b = b, root
    return edges >= 2


@jitable
def join_chains(board: Record, state: Record, cell: int, side: int, mask: int) -> None:
    """Make `cell` part of the chains of its own neighbours, and tell all neighbours of it."""
    root = cell
    state.parent[cell] = cell
    blue = board.blue[cell]
    edge = board.at_edge[cell]
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        state.links[side, other] |= 1 << int64(board.reverse[cell, k])
        if mask >> k & 1:
            other = find(state, other)
            if other != root:
                state.parent[root] = other
                blue |= state.chain_blue[other]
                edge |= state.chain_edge[other]
                root = other
    state.chain_blue[root] = blue
    state.chain_edge[root] = edge


@jitable
def flood(board: Record, state: Record, start: int, wall: int, known: int) -> int:
    """The number of cells of the region round `start` if it is dead, else 0.

    The region is bounded by the stones of player `wall`; a dead one is left in `state.region`.
    Marks above `known` belong to regions already seen to live.
    """
    mark = state.mark + 1
    state.mark = mark
    state.marks[start] = mark
    state.region[0] = start
    state.stack[0] = start
    size = depth = 1
    blue = uint64(0)
    while depth:
        depth -= 1
        cell = int64(state.stack[depth])
        if board.at_edge[cell]:
            blue |= board.blue[cell]
            if count_ones(blue) >= 4:
                return 0
        for k in range(int64(board.degree[cell])):
            other = int64(board.neighbours[cell, k])
            if state.cells[other] != wall and state.marks[other] != mark:
                if state.marks[other] > known:
                    return 0
                state.marks[other] = mark
                state.region[size] = other
                state.stack[depth] = other
                size += 1
                depth += 1
    return size


@jitable
def capture_region(board: Record, state: Record, size: int, side: int) -> None:
    """Take the enemy's stones off a dead region and shut it to the enemy.

    If any stone falls, all of the region becomes open to `side`: also what was shut to it before.
    """
    enemy = 1 - side
    captured = 0
    for i in range(size):
        cell = int64(state.region[i])
        if state.cells[cell] == enemy + 1:
            captured += 1
            state.cells[cell] = 0
            for k in range(int64(board.degree[cell])):
                other = int64(board.neighbours[cell, k])
                state.links[enemy, other] &= ~(1 << int64(board.reverse[cell, k]))
        else:
            close_cell(state, enemy, cell)
    if captured:
        state.n_empty += captured
        for i in range(size):
            open_cell(state, side, int64(state.region[i]))


@jitable
def place(board: Record, state: Record, cell: int, side: int) -> None:
    """Put a stone of player `side` + 1 on an empty cell and make the captures that follow."""
    mask = int64(state.links[side, cell])
    cuts = board.at_edge[cell] != 0 or closes_wall(board, state, cell, mask)
    state.cells[cell] = side + 1
    state.n_empty -= 1
    close_cell(state, 0, cell)
    close_cell(state, 1, cell)
    join_chains(board, state, cell, side, mask)
    if cuts:
        known = state.mark
        for k in range(int64(board.degree[cell])):
            other = int64(board.neighbours[cell, k])
            if state.cells[other] != side + 1 and state.marks[other] <= known:
                size = flood(board, state, other, side + 1, known)
                if size:
                    capture_region(board, state, size, side)


@jitable
def joins(board: Record, state: Record, cell: int, side: int, root: int) -> bool:
    """Whether a stone of `side` on `cell` would become part of the chain with that root."""
    mask = int64(state.links[side, cell])
    while mask:
        if find(state, int64(board.neighbours[cell, lowest_one(mask)])) == root:
            return True
        mask &= mask - 1
    return False
