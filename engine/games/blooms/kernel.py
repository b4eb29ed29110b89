"""The kernel of Blooms, Nick Bentley's game of 2018, with the rules as reformulated that year.

Source: the designer's rules of November 2018, which Abstract Play also uses. A placement code is
twice the index of the cell, plus 1 for the player's second colour.
"""

from engine.games.blooms.state import STATE_DTYPE
from engine.games.blooms.stones import capture_fenced
from engine.games.groups import blank, copy_groups, place
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import STOP, Array, Record, implements, jitable


@jitable
def place_step(board: Record, state: Record, step: int) -> None:
    """Place one stone of the player to move, without ending the turn."""
    side = state.player - 1
    cell = step >> 1
    if state.step == 0:
        state.placed[side, 1] = -1
    state.placed[side, state.step] = cell
    place(board, state, cell, 2 * side + 1 + (step & 1))
    if state.played[step] == 0:
        state.played[step] = side + 1
    state.step += 1
    state.first = step


@jitable
def end_turn(board: Record, state: Record) -> None:
    """Capture fenced blooms, end the game if that wins, and give the turn to the other player."""
    side = state.player - 1
    state.captured[side] += capture_fenced(board, state, 2 - side)
    if state.captured[side] >= board.captures:
        state.over = 1
    state.player = 2 - side
    state.turn += 1
    state.step = 0
    state.first = -1


@jitable
def can_continue(state: Record) -> bool:
    """Return whether a second stone may follow the first stone of this turn."""
    return bool(state.turn > 1 and state.n_empty > 0)


@implements(kernel.start, STATE_DTYPE)
def start(board: Record, state: Record) -> None:
    state.player = 1
    state.step = 0
    state.first = -1
    state.turn = 1
    state.passes = 0
    state.over = 0
    blank(board, state)
    state.captured[0] = board.handicap_1
    state.captured[1] = board.handicap_2
    for side in range(2):
        state.placed[side, 0] = -1
        state.placed[side, 1] = -1
    for cell in range(board.n_cells):
        state.played[2 * cell] = 0
        state.played[2 * cell + 1] = 0


@implements(kernel.legal_steps, STATE_DTYPE)
def legal_steps(board: Record, state: Record, out: Array) -> int:
    count = 0
    if state.over:
        return count
    for step in range(board.n_steps):
        if state.cells[step >> 1] == 0 and (state.step == 0 or (step ^ state.first) & 1):
            out[count] = step
            count += 1
    if state.step == 1:
        out[count] = STOP
        count += 1
    return count


@implements(kernel.is_legal_step, STATE_DTYPE)
def is_legal_step(board: Record, state: Record, step: int) -> bool:
    if state.over:
        return False
    if step == STOP:
        return bool(state.step == 1)
    if step < 0 or step >= board.n_steps or state.cells[step >> 1] != 0:
        return False
    return bool(state.step == 0 or (step ^ state.first) & 1)


@implements(kernel.play_step, STATE_DTYPE)
def play_step(board: Record, state: Record, step: int) -> None:
    if step != STOP:
        place_step(board, state, step)
    if step == STOP or state.step == 2 or not can_continue(state):
        end_turn(board, state)


@implements(kernel.is_over, STATE_DTYPE)
def is_over(board: Record, state: Record) -> bool:  # noqa: ARG001
    return bool(state.over != 0)


@implements(kernel.outcome, STATE_DTYPE)
def outcome(board: Record, state: Record) -> int:  # noqa: ARG001
    if state.captured[0] == state.captured[1]:
        return 0
    return 1 if state.captured[0] > state.captured[1] else 2


@jitable
def random_turn(board: Record, state: Record, rng: Array) -> None:
    """Play the rest of a turn at random."""
    if state.step == 0:
        kind = random_below(rng, 2)
        cell = int64(state.empty[random_below(rng, state.n_empty)])
        place_step(board, state, 2 * cell + kind)
    if can_continue(state):
        kind = 1 - (state.first & 1)
        cell = int64(state.empty[random_below(rng, state.n_empty)])
        place_step(board, state, 2 * cell + kind)
    end_turn(board, state)


@implements(kernel.playout, STATE_DTYPE)
def playout(board: Record, state: Record, rng: Array) -> int:
    while not state.over:
        random_turn(board, state, rng)
    return kernel.outcome(board, state)


@implements(kernel.owners, STATE_DTYPE)
def owners(board: Record, state: Record, out: Array) -> None:
    for step in range(board.n_steps):
        out[step] = state.played[step]


@implements(kernel.copy_state, STATE_DTYPE)
def copy_state(dst: Record, src: Record) -> None:
    dst.player = src.player
    dst.step = src.step
    dst.first = src.first
    dst.turn = src.turn
    dst.passes = src.passes
    dst.over = src.over
    copy_groups(dst, src)
    for side in range(2):
        dst.captured[side] = src.captured[side]
        dst.placed[side, 0] = src.placed[side, 0]
        dst.placed[side, 1] = src.placed[side, 1]
    for cell in range(src.n_cells):
        dst.played[2 * cell] = 0
        dst.played[2 * cell + 1] = 0
