"""The kernel of Stargazers, Dale Walton's game of 2023, for both rule sets and both protocols.

Sources: the rules in the Ludii portal; for the rule set `ludii`, the behaviour of Ludii 1.3.13. The
rule sets differ in the early end. They also differ in the winner of a tie if a player cannot place
the second stone of a turn.
"""

from engine.games.stargazers.early_end import early_winner, is_assured
from engine.games.stargazers.sight import can_place, may_place, place
from engine.games.stargazers.state import STATE_DTYPE
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import Array, Record, implements, jitable


@jitable
def place_stone(board: Record, state: Record, cell: int) -> None:
    """Place a stone of the player to move and set the player of the next stone.

    That player may have no legal cell; the caller must check.
    """
    side = state.player - 1
    if board.ludii:
        assured = is_assured(board, state, cell, side)
        place(board, state, cell, side)
        winner = early_winner(board, state, cell, side, assured)
        if winner:
            state.winner = winner
            state.over = 1
    else:
        place(board, state, cell, side)
    if state.step == 0 and state.turn > 1 and board.stones_a_turn == 2:
        state.step = 1
        state.first = cell
    else:
        state.player = 2 - side
        state.turn += 1
        state.step = 0
        state.first = -1


@jitable
def end_stuck(board: Record, state: Record) -> None:
    """End the game because the player to move cannot place a stone.

    The player with fewer uninspired stones wins. On a tie the player of the last stone wins; in
    the rule set `ludii` the player who cannot place loses.
    """
    state.over = 1
    one, two = state.uninspired[0], state.uninspired[1]
    if one != two:
        state.winner = 1 if one < two else 2
    elif state.step == 1 and not board.ludii:
        state.winner = state.player
    else:
        state.winner = 3 - state.player
    if state.step == 1:
        state.player = 3 - state.player
        state.turn += 1
        state.step = 0
        state.first = -1


@jitable
def draw_cell(board: Record, state: Record, rng: Array, count: int) -> tuple[int, int]:
    """Draw a random legal cell from the first `count` cells of the list of empty cells.

    A rejected cell moves to the end of the range that the next draw uses.

    Returns:
        The cell, or -1 if none is legal; and the `count` for another draw.
    """
    while count > 0:
        drawn = random_below(rng, count)
        cell = int64(state.empty[drawn])
        if may_place(board, state, cell, state.player - 1):
            return cell, count
        count -= 1
        last = int64(state.empty[count])
        state.empty[drawn] = last
        state.empty[count] = cell
        state.empty_at[last] = drawn
        state.empty_at[cell] = count
    return -1, 0


@jitable
def random_cell(board: Record, state: Record, rng: Array) -> int:
    """Return a random legal cell, or -1 if there is none."""
    cell, _ = draw_cell(board, state, rng, state.n_empty)
    return cell


@implements(kernel.start, STATE_DTYPE)
def start(board: Record, state: Record) -> None:
    state.player = 1
    state.step = 0
    state.first = -1
    state.turn = 1
    state.passes = 0
    state.over = 0
    state.winner = 0
    state.n_cells = board.n_cells
    state.n_empty = board.n_cells
    for side in range(2):
        state.n_stones[side] = 0
        state.uninspired[side] = 0
        state.early[side] = 0
        for cell in range(board.n_cells):
            state.stones[side, cell] = 0
            state.blocked[side, cell] = 0
    for cell in range(board.n_cells):
        state.cells[cell] = 0
        state.empty[cell] = cell
        state.empty_at[cell] = cell
        state.label[cell] = 0
        state.views[cell] = 0
        state.gaze[cell] = board.gaze[cell]
        for direction in range(6):
            following = int64(board.lines[cell, direction])
            while following >= 0:
                following = int64(board.lines[following, direction])
            state.seen[cell, direction] = following


@implements(kernel.legal_steps, STATE_DTYPE)
def legal_steps(board: Record, state: Record, out: Array) -> int:
    count = 0
    if state.over:
        return count
    for cell in range(board.n_cells):
        if state.cells[cell] == 0 and may_place(board, state, cell, state.player - 1):
            out[count] = cell
            count += 1
    return count


@implements(kernel.is_legal_step, STATE_DTYPE)
def is_legal_step(board: Record, state: Record, step: int) -> bool:
    if state.over or step < 0 or step >= board.n_cells or state.cells[step]:
        return False
    return may_place(board, state, step, state.player - 1)


@implements(kernel.play_step, STATE_DTYPE)
def play_step(board: Record, state: Record, step: int) -> None:
    place_stone(board, state, step)
    if state.over:
        if state.step == 1:
            state.player = 3 - state.player
            state.turn += 1
            state.step = 0
            state.first = -1
    elif not can_place(board, state, state.player - 1):
        end_stuck(board, state)


@implements(kernel.is_over, STATE_DTYPE)
def is_over(board: Record, state: Record) -> bool:  # noqa: ARG001
    return bool(state.over != 0)


@implements(kernel.outcome, STATE_DTYPE)
def outcome(board: Record, state: Record) -> int:  # noqa: ARG001
    if state.over:
        return int64(state.winner)
    if state.uninspired[0] == state.uninspired[1]:
        return 0
    return 1 if state.uninspired[0] < state.uninspired[1] else 2


@implements(kernel.playout, STATE_DTYPE)
def playout(board: Record, state: Record, rng: Array) -> int:
    while not state.over:
        cell = random_cell(board, state, rng)
        if cell < 0:
            end_stuck(board, state)
        else:
            place_stone(board, state, cell)
    return int64(state.winner)


@implements(kernel.owners, STATE_DTYPE)
def owners(board: Record, state: Record, out: Array) -> None:
    for cell in range(board.n_cells):
        out[cell] = state.cells[cell]


@implements(kernel.copy_state, STATE_DTYPE)
def copy_state(dst: Record, src: Record) -> None:
    dst.player = src.player
    dst.step = src.step
    dst.first = src.first
    dst.turn = src.turn
    dst.passes = src.passes
    dst.over = src.over
    dst.winner = src.winner
    dst.n_cells = src.n_cells
    dst.n_empty = src.n_empty
    for side in range(2):
        dst.n_stones[side] = src.n_stones[side]
        dst.uninspired[side] = src.uninspired[side]
        dst.early[side] = src.early[side]
        for i in range(src.n_stones[side]):
            dst.stones[side, i] = src.stones[side, i]
        for cell in range(src.n_cells):
            dst.blocked[side, cell] = src.blocked[side, cell]
    for cell in range(src.n_cells):
        dst.cells[cell] = src.cells[cell]
        dst.empty[cell] = src.empty[cell]
        dst.empty_at[cell] = src.empty_at[cell]
        dst.label[cell] = src.label[cell]
        dst.views[cell] = src.views[cell]
        dst.gaze[cell] = src.gaze[cell]
        for direction in range(6):
            dst.seen[cell, direction] = src.seen[cell, direction]
