"""What a stone of Stargazers does: it ends lines of sight, and so takes and gives inspiration.

Stones never leave the board, so what a cell sees in a direction only ever comes nearer: a stone
tells every cell that it is now the first thing there.
"""

from engine.rules.bits import count_ones, int64, uint64
from engine.rules.kernel import Record, compiled


@compiled
def opposite(direction: int) -> int:
    return direction + 3 if direction < 3 else direction - 3


@compiled
def place(board: Record, state: Record, cell: int, side: int) -> None:
    """Put a stone of player `side` + 1 on an empty cell and see who is inspired then."""
    gap, end = int64(state.empty_at[cell]), state.n_empty - 1
    last = int64(state.empty[end])
    state.empty[gap] = last
    state.empty_at[last] = gap
    state.n_empty = end
    state.cells[cell] = side + 1
    state.stones[side, state.n_stones[side]] = cell
    state.n_stones[side] += 1
    if end_lines(board, state, cell, side):
        label_stones(board, state, 1 - side)
    label_stones(board, state, side)


@compiled
def end_lines(board: Record, state: Record, cell: int, side: int) -> bool:
    """Let everything in line with a new stone see it; whether that concerns an enemy stone."""
    concerns_enemy = False
    for direction in range(6):
        back = opposite(direction)
        other = int64(board.lines[cell, direction])
        while other >= 0:
            state.seen[other, back] = cell
            state.gaze[other] &= ~(1 << back)
            if state.cells[other]:
                if state.cells[other] != side + 1:
                    concerns_enemy = True
                break
            other = int64(board.lines[other, direction])
    return concerns_enemy


@compiled
def label_stones(board: Record, state: Record, side: int) -> None:  # noqa: ARG001
    """Find which of a player's stones see each other, and how many are not inspired."""
    for i in range(state.n_stones[side]):
        state.label[int64(state.stones[side, i])] = -1
    uninspired = 0
    for i in range(state.n_stones[side]):
        start = int64(state.stones[side, i])
        if state.label[start] >= 0:
            continue
        state.label[start] = start
        state.stack[0] = start
        views, size, depth = 0, 0, 1
        while depth:
            depth -= 1
            cell = int64(state.stack[depth])
            size += 1
            views += count_ones(uint64(state.gaze[cell]))
            for direction in range(6):
                other = int64(state.seen[cell, direction])
                if other >= 0 and state.cells[other] == side + 1 and state.label[other] < 0:
                    state.label[other] = start
                    state.stack[depth] = other
                    depth += 1
        state.views[start] = views
        if views == 0:
            uninspired += size
    state.uninspired[side] = uninspired


@compiled
def is_inspired(state: Record, cell: int) -> bool:
    """Whether the stone on `cell` is."""
    return bool(state.views[int64(state.label[cell])] > 0)


@compiled
def may_place(board: Record, state: Record, cell: int, side: int) -> bool:
    """Whether a stone of player `side` + 1 on an empty cell would be inspired.

    If it sees no star itself, it joins all friends that it sees. Their views of stars count, less
    those that the new stone ends: of a star right behind it, seen by a friend in front of it.
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


@compiled
def views_ended(board: Record, state: Record, cell: int, side: int, label: int) -> int:
    """How many views of stars a stone on `cell` would take from the friends of that label."""
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


@compiled
def can_place(board: Record, state: Record, side: int) -> bool:
    """Whether the player has any legal cell."""
    for i in range(state.n_empty):  # noqa: SIM110 (Numba knows no generators here)
        if may_place(board, state, int64(state.empty[i]), side):
            return True
    return False
