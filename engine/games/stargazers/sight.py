"""The effects of a stone in Stargazers: it ends lines of sight, and so takes and gives inspiration.

Stones never leave the board, so the first object that a cell sees in a direction only ever comes
nearer. A new stone updates every cell in line with it.
"""

from engine.games.stargazers.inspiration import join_friends, lose_view, opposite, part_enemies
from engine.kernel.bits import int64
from engine.kernel.generic import Record, jitable


@jitable
def place(board: Record, state: Record, cell: int, side: int) -> None:
    """Place a stone of player `side` + 1 on an empty cell and update the inspiration of groups."""
    gap, end = int64(state.empty_at[cell]), state.n_empty - 1
    last = int64(state.empty[end])
    state.empty[gap] = last
    state.empty_at[last] = gap
    state.n_empty = end
    state.cells[cell] = side + 1
    state.label[cell] = cell
    state.stones[side, state.n_stones[side]] = cell
    state.n_stones[side] += 1
    end_lines(board, state, cell)
    part_enemies(state, cell, 1 - side)
    join_friends(state, cell, side)


@jitable
def end_lines(board: Record, state: Record, cell: int) -> None:
    """Update the views of all cells in line with a new stone; it hides the stars behind it."""
    for direction in range(6):
        back = opposite(direction)
        other = int64(board.lines[cell, direction])
        while other >= 0:
            state.seen[other, back] = cell
            if state.cells[other]:
                if state.gaze[other] >> back & 1:
                    state.gaze[other] &= ~(1 << int64(back))
                    lose_view(state, other)
                break
            state.gaze[other] &= ~(1 << int64(back))
            other = int64(board.lines[other, direction])


@jitable
def may_place(board: Record, state: Record, cell: int, side: int) -> bool:
    """Return whether a stone of player `side` + 1 on an empty cell would be inspired.

    If the stone sees no star itself, it joins the friendly groups that it sees. Their views of
    stars count, except those that the new stone ends: views of a star directly behind it.
    """
    if state.gaze[cell]:
        return True
    for direction in range(6):
        friend = int64(state.seen[cell, direction])
        if friend < 0 or state.cells[friend] != side + 1:
            continue
        label = int64(state.label[friend])
        if state.views[label] > views_ended(board, state, cell, side, label):
            return True
    return False


@jitable
def views_ended(board: Record, state: Record, cell: int, side: int, label: int) -> int:
    """Return how many views of stars a stone on `cell` ends for the group with `label`.

    `side` + 1 is the owner of the group.
    """
    count = 0
    if board.beside[cell]:
        for direction in range(6):
            friend = int64(state.seen[cell, direction])
            if (
                friend >= 0
                and board.beside[cell] >> opposite(direction) & 1
                and state.cells[friend] == side + 1
                and state.label[friend] == label
            ):
                count += 1
    return count


@jitable
def can_place(board: Record, state: Record, side: int) -> bool:
    """Return whether player `side` + 1 has any legal cell."""
    for i in range(state.n_empty):  # noqa: SIM110 (Numba knows no generators here)
        if may_place(board, state, int64(state.empty[i]), side):
            return True
    return False
