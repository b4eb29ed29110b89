"""Integer conversions, bit operations and random numbers for kernels, with types for mypy."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

import numpy as np

from engine.kernel.generic import Array, jitable
from engine.kernel.mode import generated_by

Word: TypeAlias = Any
"""A uint64."""

int64: Final = cast("Callable[[Any], int]", np.int64)
uint64: Final = cast("Callable[[int], Word]", np.uint64)


@generated_by("engine.kernel.llvm.bits")
def count_ones(word: Word) -> int:
    """Return the number of set bits in a uint64."""
    return int(word).bit_count()


@generated_by("engine.kernel.llvm.bits")
def lowest_one(word: int) -> int:
    """Return the index of the lowest set bit of an int64, which must not be zero."""
    return (int(word) & -int(word)).bit_length() - 1


@jitable
def random_below(rng: Array, bound: int) -> int:
    """Return a random number in 0..bound-1, from one step of a 64-bit xorshift generator.

    `rng` is a uint64 array of one nonzero number, the state of the generator.
    """
    word = rng[0]
    word ^= word << uint64(13)
    word ^= word >> uint64(7)
    word ^= word << uint64(17)
    rng[0] = word
    return int64((word >> uint64(32)) * uint64(bound) >> uint64(32))
