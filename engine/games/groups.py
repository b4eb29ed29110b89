"""Groups of connected stones on a board where surrounded groups are captured.

A group has no liberties when it has no *contacts*: adjacent pairs of one of its stones and an empty
cell. Contacts are cheap to count incrementally. The number of liberties, which counts each empty
cell once, is not.

A state record that uses these functions has the fields of Blooms: `cells` with a colour per cell,
the list `empty` with `empty_at` and `n_empty`, `free`, and `parent`, `after`, `size`, `contacts`.
"""

from engine.kernel.bits import int64
from engine.kernel.generic import Record, jitable


@jitable
def blank(board: Record, state: Record) -> None:
    """Make all cells empty."""
    state.n_cells = board.n_cells
    state.n_empty = board.n_cells
    for cell in range(board.n_cells):
        state.cells[cell] = 0
        state.free[cell] = board.degree[cell]
        state.empty[cell] = cell
        state.empty_at[cell] = cell
        state.parent[cell] = cell
        state.after[cell] = cell
        state.size[cell] = 0
        state.contacts[cell] = 0


@jitable
def copy_groups(dst: Record, src: Record) -> None:
    """Copy what is on the board."""
    dst.n_cells = src.n_cells
    dst.n_empty = src.n_empty
    for cell in range(src.n_cells):
        dst.cells[cell] = src.cells[cell]
        dst.free[cell] = src.free[cell]
        dst.empty_at[cell] = src.empty_at[cell]
        dst.empty[cell] = src.empty[cell]
        dst.parent[cell] = src.parent[cell]
        dst.after[cell] = src.after[cell]
        dst.size[cell] = src.size[cell]
        dst.contacts[cell] = src.contacts[cell]


@jitable
def find(state: Record, cell: int) -> int:
    """Return the root of the group that contains `cell`, with path compression."""
    parent = int64(state.parent[cell])
    while parent != cell:
        above = state.parent[parent]
        state.parent[cell] = above
        cell = int64(above)
        parent = int64(state.parent[cell])
    return cell


@jitable
def place(board: Record, state: Record, cell: int, colour: int) -> None:
    """Place a stone on an empty cell and join it to the groups of its colour that it touches."""
    place_in_list, end = int64(state.empty_at[cell]), state.n_empty - 1
    last = int64(state.empty[end])
    state.empty[place_in_list] = last
    state.empty_at[last] = place_in_list
    state.n_empty = end
    state.cells[cell] = colour
    root = cell
    state.parent[cell] = cell
    state.after[cell] = cell
    state.size[cell] = 1
    state.contacts[cell] = state.free[cell]
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        state.free[other] -= 1
        there = int64(state.cells[other])
        if there == 0:
            continue
        other = find(state, other)
        state.contacts[other] -= 1
        if there == colour and other != root:
            root = join(state, root, other)


@jitable
def join(state: Record, a: int, b: int) -> int:
    """Join two groups, given by their roots, and return the root of the result."""
    if state.size[a] > state.size[b]:
        a, b = b, a
    state.parent[a] = b
    state.size[b] += state.size[a]
    state.contacts[b] += state.contacts[a]
    following = state.after[a]
    state.after[a] = state.after[b]
    state.after[b] = following
    return b


@jitable
def remove_group(board: Record, state: Record, root: int) -> int:
    """Remove a group from the board and return its size."""
    size = int64(state.size[root])
    cell = root
    for _ in range(size):
        state.cells[cell] = 0
        state.empty_at[cell] = state.n_empty
        state.empty[state.n_empty] = cell
        state.n_empty += 1
        cell = int64(state.after[cell])
    for _ in range(size):
        for k in range(int64(board.degree[cell])):
            other = int64(board.neighbours[cell, k])
            state.free[other] += 1
            if state.cells[other]:
                state.contacts[find(state, other)] += 1
        cell = int64(state.after[cell])
    return size
