"""Memory for the arrays of a tree, which can be returned to the system while the arrays stay."""

# The problem: a tree of 128 MB that is not needed until the next turn keeps its pages. To delete
# the arrays and to allocate new ones returns little: once the C library has freed arrays of that
# size, it takes the next ones from its heap, and keeps what is freed there.
#
# The idea: all arrays of a tree lie in one anonymous mapping. The system takes its pages back when
# it is told that their content is not needed, and gives zeros when they are used again.

import math
import mmap
from typing import Any, Final

import numpy as np
import numpy.typing as npt

ALIGNMENT: Final = 64
"""A line of the processor's cache."""


def reserved(
    **shapes: tuple[tuple[int, ...], type[np.generic]],
) -> dict[str, npt.NDArray[Any]]:
    """Return arrays of zeros by name, from the shape and the type of each, in one mapping."""
    places, end = dict[str, int](), 0
    for name, (shape, dtype) in shapes.items():
        places[name] = end
        size = math.prod(shape) * np.dtype(dtype).itemsize
        end += math.ceil(size / ALIGNMENT) * ALIGNMENT
    mapping = mmap.mmap(-1, end, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        mapping.madvise(mmap.MADV_HUGEPAGE)  # as NumPy does: a search reads all over its tree
    return {
        name: np.ndarray(shape, dtype, mapping, places[name])
        for name, (shape, dtype) in shapes.items()
    }


def return_pages(array: npt.NDArray[Any]) -> None:
    """Return the pages of the mapping of one of its arrays; all of its arrays are zeros then."""
    mapping: object = array.base
    assert isinstance(mapping, mmap.mmap)
    mapping.madvise(mmap.MADV_DONTNEED)
