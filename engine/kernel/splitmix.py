"""SplitMix64 (Steele, Lea and Flood, 2014): random numbers that other programs make again.

`bot/arena/web/js/engine/splitmix.js` has the same functions for hosts in JavaScript.
"""

from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

ALL_BITS: Final = 2**64 - 1
"""All bits of a uint64."""
STEP: Final = 0x9E3779B97F4A7C15
"""What each number of the generator adds to its state."""

_Words = TypeVar("_Words", int, NDArray[Any])


def mixed(words: _Words) -> _Words:
    """Return the output of the generator for a state, or for each state of an array of uint64."""
    words = (words ^ (words >> 30)) * 0xBF58476D1CE4E5B9 & ALL_BITS
    words = (words ^ (words >> 27)) * 0x94D049BB133111EB & ALL_BITS
    words ^= words >> 31
    return words


def random_words(count: int) -> NDArray[np.uint64]:
    """Return the first numbers of the generator with the seed 0."""
    return mixed(np.arange(1, count + 1, dtype=np.uint64) * STEP)
