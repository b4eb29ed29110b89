"""Local shapes around a point where a stone is often good: hane, cuts, and moves at the edge.

Problem. A random stone near the last one is bad more often than not, so random playouts judge
fights badly. Idea: each point has a code of the eight points around it, two bits each, which every
stone changes at eight points; a table has the codes of good shapes. Source: S. Gelly et al.,
"Modification of UCT with Patterns in Monte-Carlo Go", 2006, whose shapes Go programs share.
Rejected: weights for each shape, which need thousands of games to fit; making a code when it is
needed, which took twice the time of a playout.

A shape is written for the player X. `x` is anything but X, `o` anything but O, `.` an empty point,
a blank is beyond the edge, `?` is anything. The player's stone goes on the middle.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

SHAPES: Final = (
    ("XOX", "...", "???"),  # hane that encloses
    ("XO.", "...", "?.?"),  # hane
    ("XO?", "X..", "x.?"),  # hane beside a wall
    (".O.", "X..", "..."),  # attachment at a shoulder
    ("XO?", "O.o", "?o?"),  # cut
    ("XO?", "O.X", "???"),  # cut that was peeped at
    ("?X?", "O.O", "ooo"),  # stone between two
    ("OX?", "o.O", "???"),  # cut of a knight's move
    ("X.?", "O.?", "   "),  # chase at the edge
    ("OX?", "X.O", "   "),  # block of a connection at the edge
    ("?X?", "x.O", "   "),  # descent to the edge
    ("?XO", "x.x", "   "),  # cut at the edge
    ("?OX", "X.O", "   "),  # the same from below
)
OUTSIDE: Final = 3
"""The two bits of a point beyond the edge; 0 is an empty point, 1 and 2 are stones of a player."""
ORDER: Final = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2))
"""Row and column of the eight points, in the order of their bits in a code."""
N_CODES: Final = 4 ** len(ORDER)

Rows = tuple[str, ...]


@cache
def good_shapes(player: int) -> npt.NDArray[np.uint8]:
    """Return one bit for each code, the lowest of a byte first: whether a shape is good."""
    table = np.zeros(N_CODES, bool)
    for shape in SHAPES:
        for rows in set(_symmetric(shape)):
            table[list(_codes(rows, player))] = True
    return np.packbits(table, bitorder="little")


def _symmetric(shape: Sequence[str]) -> Iterator[Rows]:
    """Yield a shape turned and mirrored. Colours are not exchanged: X is the player to move."""
    rows = tuple(shape)
    for _ in range(4):
        rows = tuple("".join(column) for column in zip(*rows[::-1], strict=True))
        yield rows
        yield rows[::-1]


def _codes(rows: Rows, player: int) -> Iterator[int]:
    """Yield the codes of all positions that a shape stands for."""
    enemy = 3 - player
    meanings = {
        "X": (player,),
        "O": (enemy,),
        ".": (0,),
        " ": (OUTSIDE,),
        "x": (0, enemy, OUTSIDE),
        "o": (0, player, OUTSIDE),
        "?": (0, player, enemy, OUTSIDE),
    }
    for contents in product(*(meanings[rows[y][x]] for y, x in ORDER)):
        yield sum(content << (2 * place) for place, content in enumerate(contents))
