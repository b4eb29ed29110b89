"""The effects of a stone in Blooms: it joins blooms, takes liberties from others and fences them.

A bloom is fenced when it has no *contacts*: adjacent pairs of one of its stones and an empty cell.
Contacts are cheap to count incrementally. The number of liberties, which counts each empty cell
once, is not.
"""

from engine.kernel.bits import int64
from engine.kernel.generic import Record, jitable


@jitable
def find(state: Record, cell: int) -> int:
    """Return the root of the bloom that contains `cell`, with path compression."""
    parent = int64(state.parent[cell])
    while parent != cell:
        above = state.parent[parent]
        state.parent[cell] = above
        cell = int64(above)
        parent = int64(state.parent[cell])
    return cell


@jitable
def player_of(colour: int) -> int:
    """Return the player, 1 or 2, who owns a colour; 0 for an empty cell."""
    return (colour + 1) // 2


@jitable
def place(board: Record, state: Record, cell: int, colour: int) -> None:
    """Place a stone on an empty cell and join it to the blooms of its colour that it touches."""
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
    """Join two blooms, given by their roots, and return the root of the result."""
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
def note_if_fenced(state: Record, cell: int, player: int, count: int) -> int:
    """Add the bloom at `cell` to `state.fenced` if it is fenced and belongs to `player`.

    The list contains each bloom at most once.

    Returns:
        The new length of the list, whose old length is `count`.
    """
    if player_of(int64(state.cells[cell])) != player:
        return count
    root = find(state, cell)
    if state.contacts[root] != 0:
        return count
    for i in range(count):
        if state.fenced[i] == root:
            return count
    state.fenced[count] = root
    return count + 1


@jitable
def remove_bloom(board: Record, state: Record, root: int) -> int:
    """Remove a bloom from the board and return its size."""
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


@jitable
def capture_fenced(board: Record, state: Record, player: int) -> int:
    """Remove all fenced blooms of `player` from the board and return the number of stones.

    A fenced bloom must touch or contain a stone of this turn or of the turn of `player` before it:
    blooms that were fenced earlier have been removed already.
    """
    count = 0
    for side in range(2):
        for i in range(2):
            cell = state.placed[side, i]
            if cell < 0:
                continue
            count = note_if_fenced(state, cell, player, count)
            for k in range(int64(board.degree[cell])):
                count = note_if_fenced(state, int64(board.neighbours[cell, k]), player, count)
    taken = 0
    for i in range(count):
        taken += remove_bloom(board, state, int64(state.fenced[i]))
    return taken
