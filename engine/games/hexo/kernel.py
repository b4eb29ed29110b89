"""HeXO's turns on a window of the board, compiled. A placement code is a cell of the window.

The kernel plays a game of its own: a cell outside of the window does not exist. Whatever it calls
legal is legal in the position from which the window was cut; the reverse holds for cells inside of
the window if no stone lies outside. `engine.games.hexo.unbounded` has the exact rules.
"""

from typing import Final

from engine.games.hexo.guidance import play_on, rated_steps
from engine.games.hexo.replies import QUIET, forced_steps
from engine.games.hexo.state import AREA, OUTSIDE, RADIUS, RIM, SIDE, STATE_DTYPE, WIDTH
from engine.games.hexo.turns import play
from engine.games.hexo.windows import clear, copy_stones, place
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import Array, Record, compiled, implements, jitable

REACH: Final = 8
"""The greatest distance of a placement from the nearest stone."""
ORIGIN: Final = (RADIUS + RIM) * WIDTH + RADIUS
NO_CANDIDATES: Final = 8
"""Cells so close to the edge of the window are not promising: what lies beyond is unknown."""
FIRST, LAST = NO_CANDIDATES, SIDE - 1 - NO_CANDIDATES
"""The first and the last row and column of promising cells."""


@jitable
def row_of(cell: int) -> int:
    return cell // WIDTH - RIM


@jitable
def column_of(cell: int) -> int:
    return cell % WIDTH


@jitable
def is_near_edge(cell: int) -> bool:
    """Return whether a cell is too close to the edge of the window to be promising."""
    row, column = row_of(cell), column_of(cell)
    return bool(row < FIRST or row > LAST or column < FIRST or column > LAST)


@jitable
def is_reached(state: Record, cell: int) -> bool:
    """Return whether a stone is within `REACH` of a cell."""
    if state.stones_near[cell]:
        return True
    row, column = row_of(cell), column_of(cell)
    for dr in range(max(-REACH, -row), min(REACH, SIDE - 1 - row) + 1):
        low = max(-REACH, -REACH - dr, -column)
        high = min(REACH, REACH - dr, SIDE - 1 - column)
        for other in range(cell + dr * WIDTH + low, cell + dr * WIDTH + high + 1):
            if state.cells[other] != 0:
                return True
    return False


@implements(kernel.start, STATE_DTYPE)
def start(board: Record, state: Record) -> None:
    state.player = 1
    state.step = 0
    state.first = -1
    state.turn = 1
    state.passes = 0
    state.over = 0
    clear(board, state)


@compiled
def set_up(
    board: Record, state: Record, cells: Array, players: Array, turn: int, winner: int
) -> None:
    """Set `state` to the position before a turn that has the given stones, oldest first.

    `winner` is 0 unless a player has six in a row, which may be outside of the window.
    """
    kernel.start(board, state)
    for i in range(cells.size):
        place(board, state, int64(cells[i]), int64(players[i]))
    state.turn = turn
    state.player = 2 - turn % 2
    state.winner = winner
    state.over = winner != 0 or 0 < board.cap < turn


@implements(kernel.legal_steps, STATE_DTYPE)
def legal_steps(board: Record, state: Record, out: Array) -> int:  # noqa: ARG001
    if state.over:
        return 0
    if state.n_stones == 0:
        out[0] = ORIGIN
        return 1
    for cell in range(AREA):
        out[cell] = 0
    for i in range(state.n_stones):
        mark_reached(out, int64(state.placed[i]))
    count = 0
    for cell in range(AREA):  # `count` never passes `cell`
        if out[cell] and state.cells[cell] == 0:
            out[count] = cell
            count += 1
    return count


@jitable
def mark_reached(marks: Array, stone: int) -> None:
    """Set the marks of all cells of the window within `REACH` of a stone to 1."""
    row, column = row_of(stone), column_of(stone)
    for dr in range(max(-REACH, -row), min(REACH, SIDE - 1 - row) + 1):
        low = max(-REACH, -REACH - dr, -column)
        high = min(REACH, REACH - dr, SIDE - 1 - column)
        for cell in range(stone + dr * WIDTH + low, stone + dr * WIDTH + high + 1):
            marks[cell] = 1


@implements(kernel.promising_steps, STATE_DTYPE)
def promising_steps(board: Record, state: Record, out: Array) -> int:
    """Write the forced steps, or the cells within distance 2 of a stone."""
    if state.over or state.n_stones == 0:
        return kernel.legal_steps(board, state, out)
    kind, count = forced_steps(board, state, out)
    if kind != QUIET:
        return count
    count = 0
    for i in range(state.n_near):
        if not is_near_edge(int64(state.near[i])):
            out[count] = state.near[i]
            count += 1
    return count or kernel.legal_steps(board, state, out)


@implements(kernel.is_legal_step, STATE_DTYPE)
def is_legal_step(board: Record, state: Record, step: int) -> bool:  # noqa: ARG001
    if state.over or step < 0 or step >= AREA or state.cells[step] != 0:
        return False
    if state.n_stones == 0:
        return bool(step == ORIGIN)
    return is_reached(state, step)


@implements(kernel.play_step, STATE_DTYPE)
def play_step(board: Record, state: Record, step: int) -> None:
    play(board, state, step)


@implements(kernel.is_over, STATE_DTYPE)
def is_over(board: Record, state: Record) -> bool:  # noqa: ARG001
    return bool(state.over != 0)


@implements(kernel.outcome, STATE_DTYPE)
def outcome(board: Record, state: Record) -> int:  # noqa: ARG001
    if state.over:
        return int64(state.winner)
    return 0 if state.balance == 0 else 1 if state.balance > 0 else 2


@jitable
def random_legal(state: Record, rng: Array) -> int:
    """Return a uniformly random legal cell; there must be stones and an empty cell.

    A cell is drawn around a random stone. It counts only if no earlier stone reaches it, so that
    each cell has one stone from which it can be drawn.
    """
    while True:
        number = random_below(rng, state.n_stones)
        stone = int64(state.placed[number])
        dr = random_below(rng, 2 * REACH + 1) - REACH
        dq = random_below(rng, 2 * REACH + 1) - REACH
        row, column = row_of(stone) + dr, column_of(stone) + dq
        if abs(dq + dr) > REACH or not (0 <= row < SIDE and 0 <= column < SIDE):
            continue
        cell = stone + dr * WIDTH + dq
        if state.cells[cell] == 0 and not is_reached_before(state, row, column, number):
            return cell


@jitable
def is_reached_before(state: Record, row: int, column: int, number: int) -> bool:
    """Return whether one of the first `number` stones is within `REACH` of a cell."""
    for i in range(number):
        stone = int64(state.placed[i])
        dr, dq = row - row_of(stone), column - column_of(stone)
        if max(abs(dq), abs(dr), abs(dq + dr)) <= REACH:
            return True
    return False


@implements(kernel.playout, STATE_DTYPE)
def playout(board: Record, state: Record, rng: Array) -> int:
    while not state.over:
        play(board, state, random_legal(state, rng) if state.n_stones else int64(ORIGIN))
    return int64(state.winner)


@implements(kernel.guided_playout, STATE_DTYPE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    if state.n_stones == 0:
        play(board, state, int64(ORIGIN))
    return play_on(board, state, rng)


@implements(kernel.priors, STATE_DTYPE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    rated_steps(board, state, steps, count, out)


@implements(kernel.revised_priors, STATE_DTYPE)
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    pass


@implements(kernel.owners, STATE_DTYPE)
def owners(board: Record, state: Record, out: Array) -> None:  # noqa: ARG001
    for cell in range(AREA):
        player = state.cells[cell]
        out[cell] = 0 if player == OUTSIDE else player


@implements(kernel.features, STATE_DTYPE)
def features(board: Record, state: Record, codes: Array, numbers: Array) -> int:  # noqa: ARG001
    return 0


@implements(kernel.copy_state, STATE_DTYPE)
def copy_state(dst: Record, src: Record) -> None:
    dst.player = src.player
    dst.step = src.step
    dst.first = src.first
    dst.turn = src.turn
    dst.passes = src.passes
    dst.over = src.over
    copy_stones(dst, src)
