"""The kernel of Free Go, by Nick Bentley with Luis Bolaños Mures.

Source: the paragraph on Free Go in the designer's article about Blooms (docs/sources.md). A
placement code is the index of the point. A turn is always one stone, without a pass or a second
stone.

Ko is the simple ko of Go: a stone that captures a single stone, and could itself be captured by one
stone at that point, may not be captured so in the next turn. Without this rule two players could
capture single stones in turn until one of them has enough.
"""

from engine.games.freego.state import STATE_DTYPE
from engine.games.groups import blank, copy_groups, find, place, remove_group
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import Array, Record, implements, jitable


@jitable
def play_at(board: Record, state: Record, cell: int) -> None:
    """Place the stone of a turn, capture surrounded groups, and hand the move to the other player.

    Enemy groups are captured first. If the own group is still surrounded, it is captured too, and
    counts for the enemy.
    """
    side = state.player - 1
    place(board, state, cell, side + 1)
    change_around(board, state, cell, side + 1)
    if state.played[cell] == 0:
        state.played[cell] = side + 1
    taken, where = capture_around(board, state, cell, 2 - side)
    state.captured[side] += taken
    root = find(state, cell)
    state.ko = -1
    if state.contacts[root] == 0:
        state.captured[1 - side] += capture(board, state, root)
    elif taken == 1 and state.size[root] == 1 and state.contacts[root] == 1:
        state.ko = where
    state.placed[side] = cell
    state.over = int64(max(state.captured[0], state.captured[1]) >= board.captures)
    state.player = 2 - side
    state.turn += 1


@jitable
def capture_around(board: Record, state: Record, cell: int, player: int) -> tuple[int, int]:
    """Capture the groups of `player` that touch a cell and have no liberty.

    Returns:
        The number of captured stones, and the cell of one of them, or -1 without a capture.
    """
    taken, where = 0, -1
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        if state.cells[other] == player:
            root = find(state, other)
            if state.contacts[root] == 0:
                taken += capture(board, state, root)
                where = other
    return taken, where


@jitable
def capture(board: Record, state: Record, root: int) -> int:
    """Remove a group from the board and return its size."""
    cell, player = root, int64(state.cells[root])
    for _ in range(int64(state.size[root])):
        change_around(board, state, cell, player)
        cell = int64(state.after[cell])
    return remove_group(board, state, root)


@jitable
def change_around(board: Record, state: Record, cell: int, player: int) -> None:
    """Change the codes of the points around a stone that is placed or removed."""
    for near in range(8):
        other = int64(board.around[cell, near])
        if other >= 0:
            state.code[other] ^= player << (14 - 2 * near)


@jitable
def may_place(state: Record, cell: int) -> bool:
    """Return whether an empty point is not forbidden by the ko rule. The last one never is."""
    return bool(cell != state.ko or state.n_empty == 1)


@implements(kernel.start, STATE_DTYPE)
def start(board: Record, state: Record) -> None:
    state.player = 1
    state.step = 0
    state.first = -1
    state.turn = 1
    state.passes = 0
    state.over = 0
    state.ko = -1
    blank(board, state)
    for side in range(2):
        state.captured[side] = 0
        state.placed[side] = -1
    for cell in range(board.n_cells):
        state.played[cell] = 0
        state.code[cell] = board.blank_code[cell]


@implements(kernel.legal_steps, STATE_DTYPE)
def legal_steps(board: Record, state: Record, out: Array) -> int:
    count = 0
    if state.over:
        return count
    for cell in range(board.n_cells):
        if state.cells[cell] == 0 and may_place(state, cell):
            out[count] = cell
            count += 1
    return count


@implements(kernel.is_legal_step, STATE_DTYPE)
def is_legal_step(board: Record, state: Record, step: int) -> bool:
    if state.over or step < 0 or step >= board.n_cells:
        return False
    return bool(state.cells[step] == 0 and may_place(state, step))


@implements(kernel.play_step, STATE_DTYPE)
def play_step(board: Record, state: Record, step: int) -> None:
    play_at(board, state, step)


@implements(kernel.is_over, STATE_DTYPE)
def is_over(board: Record, state: Record) -> bool:  # noqa: ARG001
    return bool(state.over != 0)


@implements(kernel.outcome, STATE_DTYPE)
def outcome(board: Record, state: Record) -> int:  # noqa: ARG001
    if state.captured[0] == state.captured[1]:
        return 0
    return 1 if state.captured[0] > state.captured[1] else 2


@jitable
def random_cell(state: Record, rng: Array) -> int:
    """Return a random legal point."""
    while True:
        cell = int64(state.empty[random_below(rng, state.n_empty)])
        if may_place(state, cell):
            return cell


@implements(kernel.playout, STATE_DTYPE)
def playout(board: Record, state: Record, rng: Array) -> int:
    while not state.over:
        play_at(board, state, random_cell(state, rng))
    return kernel.outcome(board, state)


@implements(kernel.owners, STATE_DTYPE)
def owners(board: Record, state: Record, out: Array) -> None:
    for cell in range(board.n_cells):
        out[cell] = state.played[cell]


@implements(kernel.copy_state, STATE_DTYPE)
def copy_state(dst: Record, src: Record) -> None:
    dst.player = src.player
    dst.step = src.step
    dst.first = src.first
    dst.turn = src.turn
    dst.passes = src.passes
    dst.over = src.over
    dst.ko = src.ko
    copy_groups(dst, src)
    for side in range(2):
        dst.captured[side] = src.captured[side]
        dst.placed[side] = src.placed[side]
    for cell in range(src.n_cells):
        dst.code[cell] = src.code[cell]
        dst.played[cell] = 0
