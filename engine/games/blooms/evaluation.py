"""How a position of Blooms stands, without playing on: whose blooms have liberties, and how many.

A bloom with few liberties will be captured, one with many will live; so the stones on the board,
weighed by the liberties of their blooms, tell more of the captures to come than a long random game
does.
"""

import math
from typing import Final

import numpy as np

from engine.games.blooms.stones import player_of
from engine.kernel.bits import int64
from engine.kernel.generic import WIN, Array, Record, jitable

ENOUGH: Final = 6
"""Liberties with which a bloom is safe for now; more are not counted."""
STONE: Final = np.array([-40, -26, -11, -3, 0, 2, 8], np.int64)
"""What a stone is worth to its player by the liberties of its bloom, 0 to ENOUGH.

These weights and those below are of a logistic model of what long searches found, a hundred to a
nat where EVEN captures are to come.
"""
BLOOM: Final = -11
"""A bloom: two small ones are weaker than one of their size."""
CAPTURED: Final = 11
"""A stone that was captured."""
PLACE: Final = 2
"""An empty cell that touches more of a player's stones than of the enemy's."""
EVEN: Final = 40


@jitable
def liberties_up_to_enough(board: Record, state: Record, root: int) -> int:
    """How many liberties a bloom has, up to ENOUGH; `fenced` is used to remember them."""
    count = 0
    cell = root
    for _ in range(int64(state.size[root])):
        if state.free[cell] > 0:
            for k in range(int64(board.degree[cell])):
                other = int64(board.neighbours[cell, k])
                if state.cells[other] == 0 and not contains(state.fenced, count, other):
                    state.fenced[count] = other
                    count += 1
                    if count == ENOUGH:
                        return count
        cell = int64(state.after[cell])
    return count


@jitable
def contains(items: Array, count: int, item: int) -> bool:
    """Whether `item` is one of the first `count`."""
    found = False
    for i in range(count):
        found |= bool(items[i] == item)
    return found


@jitable
def lead_at(board: Record, state: Record, cell: int) -> int:
    """By how many more of the first player's stones than of the second's a cell is touched."""
    lead = 0
    for k in range(int64(board.degree[cell])):
        player = player_of(int64(state.cells[int64(board.neighbours[cell, k])]))
        if player:
            lead += 3 - 2 * player
    return lead


@jitable
def advantage(board: Record, state: Record) -> int:
    """What captures, blooms and empty cells are worth to the first player."""
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
    """What the first player may expect of a game that is not over, 0 to WIN."""
    to_come = 2 * board.captures - state.captured[0] - state.captured[1]
    nats = 0.01 * advantage(board, state) * math.sqrt(EVEN / to_come)
    return int64(WIN / (1.0 + math.exp(-nats)) + 0.5)
