"""The encoding of a Bluestone position for a network.

The code of an occupied cell gives the stone's owner, whether it is the first stone of this turn,
and how many blue stones its chain touches. The code of an empty cell gives the players to whom it
is closed.
"""

from typing import Final

import numpy as np

from engine.games.bluestone.state import ABSENT, STATE_DTYPE
from engine.games.bluestone.stones import find
from engine.games.encoding import Encoding, thermometer
from engine.kernel import generic as kernel
from engine.kernel.bits import count_ones, int64
from engine.kernel.generic import Array, Record, implements

MOST_BLUE: Final = 11
"""The highest number of blue stones that codes distinguish; larger numbers are cut to it."""
OWN: Final = 4
ENEMY: Final = OWN + MOST_BLUE + 1
FIRST: Final = ENEMY + MOST_BLUE + 1
N_CODES: Final = FIRST + MOST_BLUE + 1
MARKS: Final = (1, 2, 3, 4, 5, 6, 8, 10)


@implements(kernel.features, STATE_DTYPE)
def features(board: Record, state: Record, codes: Array, numbers: Array) -> int:
    own = int64(state.player)
    for cell in range(board.n_cells):
        stone = int64(state.cells[cell])
        if stone == 0:
            shut = int64(state.open_at[own - 1, cell] == ABSENT)
            codes[cell] = shut + 2 * int64(state.open_at[2 - own, cell] == ABSENT)
        else:
            blue = min(count_ones(state.chain_blue[find(state, cell)]), MOST_BLUE)
            codes[cell] = (OWN if stone == own else ENEMY) + blue
    if state.step == 1:
        codes[state.first] += FIRST - OWN
    numbers[0] = state.step
    return 0


def _planes(code: int) -> list[float]:
    blank = [0.0] * len(MARKS)
    if code < OWN:
        return [0, 0, 0, float(code & 1), float(code >> 1), *blank, *blank]
    if code >= ENEMY and code < FIRST:
        return [0, 1, 0, 0, 0, *blank, *thermometer(code - ENEMY, MARKS)]
    blue = code - FIRST if code >= FIRST else code - OWN
    return [1, 0, float(code >= FIRST), 0, 0, *thermometer(blue, MARKS), *blank]


ENCODING: Final = Encoding(np.array([_planes(code) for code in range(N_CODES)], np.float32), 1)
