"""Vectors of sixteen numbers, one per channel, that stay in the processor's registers.

A Numba loop over sixteen channels keeps its sums in memory and handles one number at a time, at a
fraction of the speed. Compiled, these vectors are LLVM vectors (`engine.neural.llvm.vectors`); else
they are NumPy arrays.

Sums have a fixed order, and a multiplication is rounded before an addition follows. So every
processor computes the same numbers, and the search finds the same turn, whatever its vectors.
"""

from typing import Any, Final, TypeAlias

import numpy as np

from engine.kernel.generic import Array
from engine.kernel.mode import generated_by
from engine.neural.sizes import CHANNELS

Vector: TypeAlias = Any

_LLVM: Final = "engine.neural.llvm.vectors"


@generated_by(_LLVM)
def row(array: Array, index: int) -> Vector:
    """Load a row of CHANNELS numbers from a contiguous float32 array viewed as (-1, CHANNELS)."""
    return array.reshape(-1, CHANNELS)[index].copy()


@generated_by(_LLVM)
def put(array: Array, index: int, vector: Vector) -> None:
    """Store a vector in the row that `row` loads for the same index."""
    array.reshape(-1, CHANNELS)[index] = vector


@generated_by(_LLVM)
def put_whole(array: Array, index: int, vector: Vector) -> None:
    """Store the integer parts of the numbers in a row of an int16 array."""
    array.reshape(-1, CHANNELS)[index] = vector


@generated_by(_LLVM)
def spread(number: np.floating[Any]) -> Vector:
    """Return a vector with the same number in each element."""
    return np.full(CHANNELS, number, np.float32)


@generated_by(_LLVM)
def plus(one: Vector, other: Vector) -> Vector:
    return one + other


@generated_by(_LLVM)
def higher(one: Vector, other: Vector) -> Vector:
    """Return the elementwise maximum."""
    return np.maximum(one, other)


@generated_by(_LLVM)
def times_plus(one: Vector, other: Vector, added: Vector) -> Vector:
    """Return the elementwise product of the first two vectors plus the third."""
    return one * other + added


@generated_by(_LLVM)
def total(vector: Vector) -> float:
    """Return the sum of all elements: each is first added to the one that is half of them away."""
    while len(vector) > 1:
        vector = np.add(*np.split(vector, 2))
    return float(vector[0])


@generated_by(_LLVM)
def highest(vector: Vector) -> float:
    """Return the highest element."""
    return float(np.max(vector))
