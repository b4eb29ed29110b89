"""The encoding of a Blooms position for a network.

The code of a cell gives the colour of its stone, one of four, and the number of contacts of its
bloom. In the middle of a turn the player's remaining colour counts as the first, so that the first
colour always has the same meaning.
"""

from typing import Final

import numpy as np

from engine.games.blooms.state import STATE_DTYPE
from engine.games.encoding import Encoding, thermometer
from engine.games.groups import find
from engine.kernel import generic as kernel
from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, implements

MOST_CONTACTS: Final = 9
"""The highest number of contacts that codes distinguish; larger numbers are cut to it.

A contact is an adjacent pair of a stone of the bloom and an empty cell.
"""
A_COLOUR: Final = MOST_CONTACTS + 1
FIRST: Final = 4 * A_COLOUR + 1
"""The first code for the stone that was placed first in this turn."""
N_CODES: Final = FIRST + A_COLOUR
MARKS: Final = (1, 2, 3, 4, 5, 7, 9)
N_NUMBERS: Final = 5
PLENTY: Final = 4
"""The number of missing captures up to which the numbers for a close win are 1."""


@implements(kernel.features, STATE_DTYPE)
def features(board: Record, state: Record, codes: Array, numbers: Array) -> int:
    own = int64(state.player)
    turned = int64(state.step == 1 and state.first & 1 == 0)
    for cell in range(board.n_cells):
        colour = int64(state.cells[cell]) - 1
        if colour < 0:
            codes[cell] = 0
            continue
        which = colour & 1
        theirs = int64(colour >> 1 != own - 1)
        if not theirs:
            which ^= turned
        contacts = min(max(int64(state.contacts[find(state, cell)]), 0), MOST_CONTACTS)
        codes[cell] = 1 + (2 * theirs + which) * A_COLOUR + contacts
    if state.step == 1:
        cell = int64(state.placed[own - 1, 0])
        codes[cell] += FIRST - 1 - A_COLOUR
    numbers[0] = state.step
    for side in range(2):
        missing = board.captures - state.captured[own - 1 if side == 0 else 2 - own]
        numbers[1 + side] = missing / board.n_cells
        numbers[3 + side] = min(1.0, PLENTY / max(1.0, float(missing)))
    return turned


def _planes(code: int) -> list[float]:
    blank = [0.0] * len(MARKS)
    if code == 0:
        return [0, 0, 0, 0, 0, *blank, *blank]
    is_first = code >= FIRST
    colour, contacts = (1, code - FIRST) if is_first else divmod(code - 1, A_COLOUR)
    whose = [float(colour == each) for each in range(4)]
    openness = thermometer(contacts, MARKS)
    sides = [*openness, *blank] if colour < 2 else [*blank, *openness]
    return [*whose, float(is_first), *sides]


def _swapped(code: int, *, enemy: bool) -> int:
    """Return the code with the two colours of one player exchanged."""
    if code == 0 or code >= FIRST:
        return code
    colour, contacts = divmod(code - 1, A_COLOUR)
    return code if (colour >= 2) != enemy else 1 + (colour ^ 1) * A_COLOUR + contacts


ENCODING: Final = Encoding(
    planes=np.array([_planes(code) for code in range(N_CODES)], np.float32),
    numbers=N_NUMBERS,
    own_swap=np.array([_swapped(code, enemy=False) for code in range(N_CODES)]),
    enemy_swap=np.array([_swapped(code, enemy=True) for code in range(N_CODES)]),
)
