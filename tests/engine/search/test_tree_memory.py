"""Arrays in a mapping whose pages return to the system."""

import sys
from pathlib import Path

import numpy as np
import pytest

from engine.search.tree_memory import reserved, return_pages


def test_arrays_have_their_shapes_types_and_places() -> None:
    arrays = reserved(bytes=((3,), np.int8), table=((5, 2, 7), np.int32), sums=((9,), np.int64))
    for number, array in enumerate(arrays.values(), start=1):
        assert not array.any()
        array[...] = number
    assert {name: set(array.ravel().tolist()) for name, array in arrays.items()} == {
        "bytes": {1},
        "table": {2},
        "sums": {3},
    }
    assert arrays["table"].shape == (5, 2, 7)
    assert arrays["sums"].dtype == np.int64
    assert all(array.flags.carray for array in arrays.values())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems return pages when they like")
def test_returned_pages_are_zeros_and_take_no_memory() -> None:
    arrays = reserved(many=((40_000_000,), np.int8), few=((5,), np.int64))
    for array in arrays.values():
        array[...] = 1
    before = _resident()
    return_pages(arrays["few"])
    assert before - _resident() > 39_000_000
    assert not any(array.any() for array in arrays.values())


def _resident() -> int:
    """Bytes of this process in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096
