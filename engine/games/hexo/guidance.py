"""Knowledge of good play in HeXO: what a cell is worth, and playouts that use it."""

from typing import Final

from engine.games.hexo.replies import LOST, QUIET, forced_steps
from engine.games.hexo.state import AREA, LENGTH
from engine.games.hexo.turns import play
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import WIN, Array, Record, jitable, result_of
from engine.kernel.logistic import logistic

PLAYOUT_STONES: Final = 8
"""Stones of a playout before the position is evaluated."""
DRAWN: Final = 6
"""Cells of which a playout takes the best."""
SCALE: Final = 60.0
"""The balance at which the expected result is 73 %."""
TEMPO: Final = 20.0
"""What it is worth to be the player to move, as a balance."""


@jitable
def worth_of(board: Record, state: Record, cell: int, player: int) -> int:
    """Return what a stone of a player on an empty cell gains on the lines through it."""
    total = int64(0)
    for axis in range(3):
        window = axis * AREA + cell
        for _ in range(LENGTH):
            total += board.gain[player - 1, state.counts[window]]
            window -= board.strides[axis]
    return total


@jitable
def expectation(state: Record) -> int:
    """Return player 1's expected result, 0 to WIN, by the lines on the board."""
    to_move = TEMPO if state.player == 1 else -TEMPO
    if state.step == 1:
        to_move = 0.5 * to_move
    return int64(0.5 + WIN * logistic((state.balance + to_move) / SCALE))


@jitable
def play_on(board: Record, state: Record, rng: Array) -> int:
    """Play some likely stones and return player 1's expectation, 0 to WIN.

    A player who can win does so, and threats are answered. A turn that cannot answer them loses.
    """
    for _ in range(PLAYOUT_STONES):
        if state.over:
            return result_of(int64(state.winner))
        kind, count = forced_steps(board, state, state.steps)
        if kind == LOST:
            return result_of(int64(3 - state.player))
        if kind == QUIET:
            play(board, state, likely_step(board, state, rng))
        else:
            play(board, state, int64(state.steps[random_below(rng, count)]))
    if state.over:
        return result_of(int64(state.winner))
    return expectation(state)


@jitable
def likely_step(board: Record, state: Record, rng: Array) -> int:
    """Return the best of some random cells within distance 2 of a stone."""
    best, best_worth = int64(-1), int64(-1)
    for _ in range(DRAWN):
        cell = int64(state.near[random_below(rng, state.n_near)])
        worth = worth_of(board, state, cell, state.player)
        if worth > best_worth:
            best, best_worth = cell, worth
    return best


@jitable
def rated_steps(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    """Write a prior for each step: 100 for the best; the third power makes the others small."""
    best = int64(1)
    for i in range(count):
        best = max(best, worth_of(board, state, int64(steps[i]), state.player))
    for i in range(count):
        share = worth_of(board, state, int64(steps[i]), state.player) / best
        out[i] = int64(0.5 + 100 * share**3)
