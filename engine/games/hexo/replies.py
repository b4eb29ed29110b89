"""Forced steps in HeXO: completing six in a row, and answering lines that the opponent completes.

A player who can complete six in this turn does so. Otherwise the stones of the turn must *cover*
every threat of the opponent: each window with four or more of his stones and none of the player's
needs a stone. What two cells cannot cover is lost.
"""

from engine.games.hexo.state import AREA, GROUPS, LENGTH
from engine.games.hexo.windows import FIVES, FOURS, empty_cell, n_threats
from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, jitable

QUIET, WINS, ANSWERS, LOST = 0, 1, 2, 3
"""What `forced_steps` finds: nothing that forces, a win, threats to answer, too many of them."""


@jitable
def stones_left(state: Record) -> int:
    """Return how many stones the player to move has left in this turn."""
    return 1 if state.step == 1 or state.turn == 1 else 2


@jitable
def threat(state: Record, player: int, number: int) -> int:
    """Return a window with four or more stones of a player; `number` counts from 0."""
    group = (player - 1) * GROUPS
    fives = int64(state.n_listed[group + FIVES])
    if number < fives:
        return int64(state.listed[group + FIVES, number])
    return int64(state.listed[group + FOURS, number - fives])


@jitable
def covers(board: Record, window: int, cell: int) -> bool:
    """Return whether a window has a cell."""
    stride = board.strides[window // AREA]
    steps = cell - window % AREA
    return bool(0 <= steps <= (LENGTH - 1) * stride and steps % stride == 0)


@jitable
def next_uncovered(board: Record, state: Record, player: int, one: int, other: int) -> int:
    """Return the first threat of a player that neither of two cells covers, or -1."""
    for number in range(n_threats(state, player)):
        window = threat(state, player, number)
        if not covers(board, window, one) and not covers(board, window, other):
            return window
    return -1


@jitable
def add_step(out: Array, count: int, cell: int) -> int:
    """Add a cell to the first `count` of `out` unless it is there; return the new count."""
    for i in range(count):
        if out[i] == cell:
            return count
    out[count] = cell
    return count + 1


@jitable
def winning_steps(board: Record, state: Record, out: Array) -> int:
    """Write the cells that complete six with the stones left in this turn; return their number."""
    group, count = (state.player - 1) * GROUPS, int64(0)
    for number in range(state.n_listed[group + FIVES]):
        window = int64(state.listed[group + FIVES, number])
        count = add_step(out, count, empty_cell(board, state, window, int64(0)))
    if count == 0 and stones_left(state) == 2:
        for number in range(state.n_listed[group + FOURS]):
            window = int64(state.listed[group + FOURS, number])
            count = add_step(out, count, empty_cell(board, state, window, int64(0)))
            count = add_step(out, count, empty_cell(board, state, window, int64(1)))
    return count


@jitable
def covering_steps(board: Record, state: Record, out: Array) -> int:
    """Write the cells of all covers of the opponent's threats into `out`; return their number.

    There must be a threat. A cover has no more cells than stones are left in this turn. Each cover
    has a cell of the first threat, so few need a look.
    """
    enemy, count, none = 3 - state.player, int64(0), int64(-AREA)
    first = threat(state, enemy, int64(0))
    for k in range(2):
        one = empty_cell(board, state, first, int64(k))
        if one < 0:
            break
        window = next_uncovered(board, state, enemy, one, none)
        if window < 0:
            count = add_step(out, count, one)
        elif stones_left(state) == 2:
            for j in range(2):
                other = empty_cell(board, state, window, int64(j))
                if other >= 0 and next_uncovered(board, state, enemy, one, other) < 0:
                    count = add_step(out, count, one)
                    count = add_step(out, count, other)
    return count


@jitable
def forced_steps(board: Record, state: Record, out: Array) -> tuple[int, int]:
    """Write the steps that the position forces into `out`.

    Returns what kind of position it is, and the number of steps. If it is LOST, the steps answer
    one of the threats. In a QUIET position there are none.
    """
    count = winning_steps(board, state, out)
    if count:
        return WINS, count
    enemy = 3 - state.player
    if n_threats(state, enemy) == 0:
        return QUIET, 0
    count = covering_steps(board, state, out)
    if count:
        return ANSWERS, count
    window = threat(state, enemy, int64(0))
    out[0] = empty_cell(board, state, window, int64(0))
    return LOST, 1
