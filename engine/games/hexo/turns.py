"""The order of stones and turns in HeXO's kernel."""

from typing import Final

from engine.games.hexo.state import SIDE
from engine.games.hexo.windows import place
from engine.kernel.generic import Record, jitable

ALL_CELLS: Final = SIDE * SIDE


@jitable
def play(board: Record, state: Record, cell: int) -> None:
    """Place a stone of the player to move; end the turn with its last one, or with a win."""
    wins = place(board, state, cell, state.player)
    if not wins and state.step == 0 and state.turn > 1 and state.n_stones < ALL_CELLS:
        state.step = 1
        state.first = cell
        return
    state.player = 3 - state.player
    state.turn += 1
    state.step = 0
    state.first = -1
    if wins or 0 < board.cap < state.turn or state.n_stones == ALL_CELLS:
        state.over = 1
