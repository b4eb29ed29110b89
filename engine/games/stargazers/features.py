"""The encoding of a Stargazers position for a network.

The code of an occupied cell gives the stone's owner, whether it is the first stone of this turn,
whether it sees a star itself, and how many views of stars its group has. The code of an empty cell
gives the players who may place there, and whether a stone there would see a star.
"""

from typing import Final

import numpy as np

from engine.games.encoding import Encoding, thermometer
from engine.games.stargazers.sight import may_place
from engine.games.stargazers.state import STATE_DTYPE
from engine.kernel import generic as kernel
from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, implements

MOST_VIEWS: Final = 4
"""The highest number of views that codes distinguish; larger numbers are cut to it."""
OWN: Final = 8
A_SIDE: Final = 2 * (MOST_VIEWS + 1)
ENEMY: Final = OWN + A_SIDE
FIRST: Final = ENEMY + A_SIDE
N_CODES: Final = FIRST + A_SIDE
MARKS: Final = (1, 2, 3, 4)
N_NUMBERS: Final = 5
A_FEW: Final = 8
"""The unit in which the numbers count uninspired stones and legal cells."""


@implements(kernel.features, STATE_DTYPE)
def features(board: Record, state: Record, codes: Array, numbers: Array) -> int:
    own = int64(state.player)
    places = other_places = 0
    for cell in range(board.n_cells):
        sees = int64(state.gaze[cell] != 0)
        stone = int64(state.cells[cell])
        if stone == 0:
            mine = int64(may_place(board, state, cell, own - 1))
            theirs = int64(may_place(board, state, cell, 2 - own))
            places += mine
            other_places += theirs
            codes[cell] = mine + 2 * theirs + 4 * sees
        else:
            views = min(int64(state.views[int64(state.label[cell])]), MOST_VIEWS)
            codes[cell] = (OWN if stone == own else ENEMY) + 2 * views + sees
    if state.step == 1:
        codes[state.first] += FIRST - OWN
    numbers[0] = state.step
    numbers[1] = (state.uninspired[own - 1] - state.uninspired[2 - own]) / A_FEW
    numbers[2] = (places - other_places) / A_FEW
    numbers[3] = min(places, A_FEW) / A_FEW
    numbers[4] = min(other_places, A_FEW) / A_FEW
    return 0


def _planes(code: int) -> list[float]:
    blank = [0.0] * (1 + len(MARKS))
    if code < OWN:
        return [0, 0, 0, float(code & 1), float(code >> 1 & 1), float(code >> 2), *blank, *blank]
    is_enemy = ENEMY <= code < FIRST
    views, sees = divmod((code - OWN) % A_SIDE, 2)
    shine = [float(views == 0), *thermometer(views, MARKS)]
    sides = [*blank, *shine] if is_enemy else [*shine, *blank]
    return [float(not is_enemy), float(is_enemy), float(code >= FIRST), 0, 0, float(sees), *sides]


ENCODING: Final = Encoding(
    np.array([_planes(code) for code in range(N_CODES)], np.float32), N_NUMBERS
)
