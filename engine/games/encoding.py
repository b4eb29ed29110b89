"""How a game shows its positions to a network: a code for each cell, and a few numbers.

Every code stands for a combination of binary planes, so that a first layer over planes is, for the
search, a table to look up.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Encoding(NamedTuple):
    """`planes[code]` are the planes of a code, shape (n_codes, n_planes); `numbers` is how many
    numbers there are besides.

    Where a player's two kinds of stones mean the same, the swaps give each code's twin with the
    kinds of one player exchanged.
    """

    planes: NDArray[np.float32]
    numbers: int
    own_swap: NDArray[np.int64] | None = None
    enemy_swap: NDArray[np.int64] | None = None


NOTHING_SHOWN: Final = Encoding(np.zeros((1, 1), np.float32), numbers=0)
"""Of a game for which nobody has made a network yet."""


def thermometer(count: int, marks: tuple[int, ...]) -> list[float]:
    """1 for each mark that `count` reaches."""
    return [float(count >= mark) for mark in marks]
