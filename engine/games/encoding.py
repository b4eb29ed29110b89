"""The encoding of a game's positions for a network: a code for each cell, and a few numbers.

Each code stands for a combination of input planes. So the search computes the network's first
layer by table lookups instead of multiplications.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Encoding(NamedTuple):
    """The planes of each code, and how many numbers a position has.

    - `planes` (n_codes, n_planes): the planes of each code.
    - `numbers`: the count of numbers per position in addition to the codes.
    - `own_swap`, `enemy_swap` (n_codes,): the code with the two kinds of stones of the player to
      move, or of the opponent, exchanged. None unless the kinds are interchangeable.
    """

    planes: NDArray[np.float32]
    numbers: int
    own_swap: NDArray[np.int64] | None = None
    enemy_swap: NDArray[np.int64] | None = None


NOTHING_SHOWN: Final = Encoding(np.zeros((1, 1), np.float32), numbers=0)
"""The encoding of a game that has no network."""


def thermometer(count: int, marks: tuple[int, ...]) -> list[float]:
    """Return 1 for each mark that `count` reaches, else 0."""
    return [float(count >= mark) for mark in marks]
