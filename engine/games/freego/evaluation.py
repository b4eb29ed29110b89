"""The static evaluation of Free Go, by the number of liberties of each group.

Nobody may pass, so a player whose territory is full must fill their own eyes, and the stones there
die. So territory, stones and captures all count, and stones with few liberties count against their
player.
"""

import math
from typing import Final

import numpy as np

from engine.games.liberties import liberties_up_to_enough
from engine.kernel.bits import int64
from engine.kernel.generic import WIN, Record, jitable
from engine.kernel.logistic import logistic

STONE: Final = np.array([-60, -40, -18, -6, 2, 5, 8], np.int64)
"""The value of a stone to its player, by the number of liberties of its group.

The unit of these constants is 0.01 nat when EVEN captures are to come.
"""
GROUP: Final = -6
"""The value of each group to its player: two small groups are weaker than one of their size."""
CAPTURED: Final = 12
"""The value of a captured stone to the player who captured it."""
PLACE: Final = 5
"""The value of an empty point to the player who has more stones next to it."""
EVEN: Final = 40


@jitable
def lead_at(board: Record, state: Record, cell: int) -> int:
    """Return how many more stones of player 1 than of player 2 touch a point."""
    lead = 0
    for k in range(int64(board.degree[cell])):
        player = int64(state.cells[int64(board.neighbours[cell, k])])
        if player:
            lead += 3 - 2 * player
    return lead


@jitable
def advantage(board: Record, state: Record) -> int:
    """Return the value of captures, groups and empty points to player 1, less that to player 2."""
    worth = CAPTURED * (state.captured[0] - state.captured[1])
    for cell in range(state.n_cells):
        player = int64(state.cells[cell])
        if player == 0:
            lead = lead_at(board, state, cell)
            worth += PLACE * (int64(lead > 0) - int64(lead < 0))
        elif int64(state.parent[cell]) == cell:
            count = liberties_up_to_enough(board, state, cell)
            group = GROUP + STONE[count] * int64(state.size[cell])
            worth += group if player == 1 else -group
    return int64(worth)


@jitable
def expectation(board: Record, state: Record) -> int:
    """Return player 1's expected result of a game that is not over, from 0 to WIN."""
    to_come = 2 * board.captures - state.captured[0] - state.captured[1]
    nats = 0.01 * advantage(board, state) * math.sqrt(EVEN / to_come)
    return int64(WIN * logistic(nats) + 0.5)
