"""The effects of a stone in Bluestone: it joins chains, completes walls, captures, and closes or
opens cells.

The method is that of the fastest known playouts. No function searches the board for legal cells:
each player has a list of open cells, and a cell that dies for the player is removed from it. A
stone can cut off a region only in two cases. Either its neighbours of its own colour form two or
more runs that are already connected (with each other or through the edge), or it is on the edge.
Only then are the adjacent regions flooded. A flood ends when it has met four blue stones or a cell
of a region known to be alive.

The lists are exact. A region that is dead for a player holds none of the player's stones, because
they would have been captured. So it is empty and enclosed by one chain of the enemy. If the region
reaches the edge, that chain touches four blue stones by itself; if not, the enemy gets no blue
stone from it. In both cases no stone placed there captures the wall. So the closed regions of
`abstractplay` and the dead placements that `official` forbids are the same cells. They reopen only
when the wall itself is captured. They are then part of the region that dies, and all cells of it
become open to the capturer.
"""

from engine.games.bluestone.state import ABSENT
from engine.kernel.bits import count_ones, int64, lowest_one, uint64
from engine.kernel.generic import Record, jitable


@jitable
def find(state: Record, cell: int) -> int:
    """Return the root of the chain that contains `cell`, with path compression."""
    parent = int64(state.parent[cell])
    while parent != cell:
        above = state.parent[parent]
        state.parent[cell] = above
        cell = int64(above)
        parent = int64(state.parent[cell])
    return cell


@jitable
def open_cell(state: Record, side: int, cell: int) -> None:
    """Append `cell` to a player's list of open cells unless the list contains it."""
    if state.open_at[side, cell] == ABSENT:
        end = state.n_open[side]
        state.open[side, end] = cell
        state.open_at[side, cell] = end
        state.n_open[side] = end + 1


@jitable
def close_cell(state: Record, side: int, cell: int) -> None:
    """Remove `cell` from a player's list of open cells; the last cell fills the gap."""
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
    """Return whether a stone that is not on the edge completes a wall.

    It does if it joins two runs of own stones that are already connected, or that both reach the
    edge. `mask` gives the neighbours that hold own stones.
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
    """Join the new stone to the adjacent chains of its player; update the links of neighbours."""
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
    """Return the number of cells of the region around `start` if it is dead, else 0.

    The stones of player `wall` bound the region. The cells of a dead region are in `state.region`
    afterwards. Marks above `known` belong to regions already known to be alive.
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
    """Capture the enemy's stones in a dead region and close the region to the enemy.

    If any stone is captured, all cells of the region become open to `side`, including cells that
    were closed to it before.
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
    """Place a stone of player `side` + 1 on an empty cell and apply the captures."""
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
    """Return whether a stone of player `side` + 1 on `cell` would join the chain with `root`."""
    mask = int64(state.links[side, cell])
    while mask:
        if find(state, int64(board.neighbours[cell, lowest_one(mask)])) == root:
            return True
        mask &= mask - 1
    return False
