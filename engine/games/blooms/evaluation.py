"""The static evaluation of Blooms, by the number of liberties of each bloom.

A bloom with few liberties will be captured, and one with many will live. So the stones on the
board, weighted by the liberties of their blooms, predict captures better than a long random game.
"""

import math
from typing import Final

import numpy as np

from engine.games.blooms.stones import player_of
from engine.games.liberties import liberties_up_to_enough
from engine.kernel.bits import int64
from engine.kernel.generic import WIN, Record, jitable
from engine.kernel.logistic import logistic

STONE: Final = np.array([-40, -26, -11, -3, 0, 2, 8], np.int64)
"""The value of a stone to its player, by the number of liberties of its bloom, 0 to ENOUGH.

This and the constants below are weights of a logistic model fitted to the results of long searches.
The unit is 0.01 nat when EVEN captures are to come.
"""
BLOOM: Final = -11
"""The value of each bloom to its player: two small blooms are weaker than one of their size."""
CAPTURED: Final = 11
"""The value of a captured stone to the player who captured it."""
PLACE: Final = 2
"""The value of an empty cell to the player who has more stones next to it."""
EVEN: Final = 40


@jitable
def lead_at(board: Record, state: Record, cell: int) -> int:
    """Return how many more stones of player 1 than of player 2 touch a cell."""
    lead = 0
    for k in range(int64(board.degree[cell])):
        player = player_of(int64(state.cells[int64(board.neighbours[cell, k])]))
        if player:
            lead += 3 - 2 * player
    return lead


@jitable
def advantage(board: Record, state: Record) -> int:
    """Return the value of captures, blooms and empty cells to player 1, less that to player 2."""
    worth = CAPTURED * (state.captured[0] - state.captured[1])
    for cell in range(state.n_cells):
        colour = int64(state.cells[cell])
        if colour == 0:
            lead = lead_at(board, state, cell)
            worth += PLACE * (int64(lead > 0) - int64(lead < 0))
        elif int64(state.parent[cell]) == cell:
            count = liberties_up_to_enough(board, state, cell)
            bloom = BLOOM + STONE[count] * int64(state.size[cell])
            worth += bloom if player_of(colour) == 1 else -bloom
    return int64(worth)


@jitable
def expectation(board: Record, state: Record) -> int:
    """Return player 1's expected result of a game that is not over, from 0 to WIN."""
    to_come = 2 * board.captures - state.captured[0] - state.captured[1]
    nats = 0.01 * advantage(board, state) * math.sqrt(EVEN / to_come)
    return int64(WIN * logistic(nats) + 0.5)
