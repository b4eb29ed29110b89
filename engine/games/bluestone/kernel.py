"""The kernel of Bluestone, for both rule sets on every board.

Sources: the rules by Craig Duncan, 2025, and Abstract Play for the rule set of that name. The rule
sets differ in two points: whether a player may stop after one stone, and whether the second stone
may use cells that the captures of the first one opened. `engine.games.bluestone.stones` explains
why nothing else differs.
"""

from engine.games.bluestone.state import ABSENT, STATE_DTYPE
from engine.games.bluestone.stones import find, joins, place
from engine.kernel import generic as kernel
from engine.kernel.bits import count_ones, int64, random_below
from engine.kernel.generic import PASS, STOP, Array, Record, implements, jitable


@jitable
def place_first(board: Record, state: Record, cell: int, side: int) -> None:
    """Place the first stone of a turn and determine which cells are open to the second."""
    before = state.n_open[side]
    place(board, state, cell, side)
    state.second_open = before - 1 if board.abstractplay else state.n_open[side]


@jitable
def has_second(board: Record, state: Record, first: int, side: int) -> bool:
    """Return whether any cell is legal for the second stone."""
    root = find(state, first)
    for i in range(state.second_open):
        if not joins(board, state, int64(state.open[side, i]), side, root):
            return True
    return False


@jitable
def end_turn(state: Record) -> None:
    """Give the turn to the other player; the game ends on a full board or after two passes."""
    state.player = 3 - state.player
    state.turn += 1
    state.step = 0
    state.first = -1
    if state.n_empty == 0 or state.passes == 2:
        state.over = 1


@jitable
def random_second(board: Record, state: Record, first: int, side: int, rng: Array) -> int:
    """Return a random legal cell for the second stone, or -1 if there is none.

    A rejected cell moves to the end of the range that the next draw uses, so that each cell is
    drawn at most once.
    """
    root = find(state, first)
    count = state.second_open
    while count > 0:
        drawn = random_below(rng, count)
        cell = int64(state.open[side, drawn])
        if not joins(board, state, cell, side, root):
            return cell
        count -= 1
        last = int64(state.open[side, count])
        state.open[side, drawn] = last
        state.open[side, count] = cell
        state.open_at[side, last] = drawn
        state.open_at[side, cell] = count
    return -1


@implements(kernel.start, STATE_DTYPE)
def start(board: Record, state: Record) -> None:
    state.player = 1
    state.step = 0
    state.first = -1
    state.turn = 1
    state.passes = 0
    state.over = 0
    state.n_cells = board.n_cells
    state.n_empty = board.n_cells
    state.second_open = 0
    state.mark = 0
    for side in range(2):
        state.n_open[side] = board.n_cells
        for cell in range(board.n_cells):
            state.links[side, cell] = 0
            state.open[side, cell] = cell
            state.open_at[side, cell] = cell
    for cell in range(board.n_cells):
        state.cells[cell] = 0
        state.parent[cell] = cell
        state.chain_edge[cell] = 0
        state.chain_blue[cell] = 0
        state.marks[cell] = 0


@implements(kernel.legal_steps, STATE_DTYPE)
def legal_steps(board: Record, state: Record, out: Array) -> int:
    count = 0
    if state.over:
        return count
    side = state.player - 1
    if state.step == 0:
        for cell in range(board.n_cells):
            if state.open_at[side, cell] != ABSENT:
                out[count] = cell
                count += 1
        out[count] = PASS
        return count + 1
    root = find(state, state.first)
    for cell in range(board.n_cells):
        if state.open_at[side, cell] < state.second_open and not joins(
            board, state, cell, side, root
        ):
            out[count] = cell
            count += 1
    if board.abstractplay:
        out[count] = STOP
        count += 1
    return count


@implements(kernel.is_legal_step, STATE_DTYPE)
def is_legal_step(board: Record, state: Record, step: int) -> bool:
    if state.over:
        return False
    if step == PASS:
        return bool(state.step == 0)
    if step == STOP:
        return bool(state.step == 1 and board.abstractplay != 0)
    if step < 0 or step >= board.n_cells:
        return False
    side = state.player - 1
    if state.step == 0:
        return bool(state.open_at[side, step] != ABSENT)
    if state.open_at[side, step] >= state.second_open:
        return False
    return not joins(board, state, step, side, find(state, state.first))


@implements(kernel.play_step, STATE_DTYPE)
def play_step(board: Record, state: Record, step: int) -> None:
    if step == PASS:
        state.passes += 1
        end_turn(state)
    elif step == STOP:
        end_turn(state)
    elif state.step == 1:
        place(board, state, step, state.player - 1)
        end_turn(state)
    else:
        state.passes = 0
        side = state.player - 1
        place_first(board, state, step, side)
        if state.turn > 1 and has_second(board, state, step, side):
            state.step = 1
            state.first = step
        else:
            end_turn(state)


@implements(kernel.is_over, STATE_DTYPE)
def is_over(board: Record, state: Record) -> bool:  # noqa: ARG001
    return bool(state.over != 0)


@implements(kernel.outcome, STATE_DTYPE)
def outcome(board: Record, state: Record) -> int:
    tally = state.tally
    highest = 0
    for cell in range(board.n_cells):
        if state.cells[cell] and state.parent[cell] == cell:
            score = count_ones(state.chain_blue[cell])
            tally[score] += 3 - 2 * int64(state.cells[cell])
            highest = max(highest, score)
    winner = 0
    for score in range(highest, -1, -1):
        if winner == 0 and score > 0 and tally[score] != 0:
            winner = 1 if tally[score] > 0 else 2
        tally[score] = 0
    return winner


@implements(kernel.playout, STATE_DTYPE)
def playout(board: Record, state: Record, rng: Array) -> int:
    side = state.player - 1
    if state.step == 1:
        cell = random_second(board, state, state.first, side, rng)
        place(board, state, cell, side)
        end_turn(state)
        side = 1 - side
    while not state.over:
        count = state.n_open[side]
        if count == 0:
            state.passes += 1
        else:
            state.passes = 0
            cell = int64(state.open[side, random_below(rng, count)])
            place_first(board, state, cell, side)
            if state.turn > 1:
                cell = random_second(board, state, cell, side, rng)
                if cell >= 0:
                    place(board, state, cell, side)
        end_turn(state)
        side = 1 - side
    return kernel.outcome(board, state)


@implements(kernel.guided_playout, STATE_DTYPE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    return kernel.result_of(kernel.playout(board, state, rng))


@implements(kernel.priors, STATE_DTYPE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:  # noqa: ARG001
    for i in range(count):
        out[i] = -100 if steps[i] == STOP else 0


@implements(kernel.revised_priors, STATE_DTYPE)
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    pass


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
    dst.n_cells = src.n_cells
    dst.n_empty = src.n_empty
    dst.second_open = src.second_open
    for side in range(2):
        dst.n_open[side] = src.n_open[side]
        for i in range(src.n_open[side]):
            dst.open[side, i] = src.open[side, i]
        for cell in range(src.n_cells):
            dst.links[side, cell] = src.links[side, cell]
            dst.open_at[side, cell] = src.open_at[side, cell]
    for cell in range(src.n_cells):
        dst.cells[cell] = src.cells[cell]
        dst.parent[cell] = src.parent[cell]
        dst.chain_edge[cell] = src.chain_edge[cell]
        dst.chain_blue[cell] = src.chain_blue[cell]
