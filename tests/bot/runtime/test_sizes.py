"""The bytes of a value are those that it takes from the allocator."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from bot.runtime.sizes import size_of

RECORD = np.dtype([("cells", np.int8, 5_000)])


class Plain:
    def __init__(self) -> None:
        self.names = [f"name {number}" for number in range(1000)]
        self.same = self.names


VALUES: dict[str, Callable[[], object]] = {
    "bytes": lambda: bytes(5_000),
    "strings": lambda: [f"{number}:{number}" for number in range(1000)],
    "tuples": lambda: {(number + 1000, -number - 1000): None for number in range(5000)},
    "object": Plain,
    "array": lambda: np.zeros(5_000, np.int8),
    "record": lambda: np.zeros(1, RECORD)[0],
    "a circle": lambda: _circle(),
}


def _circle() -> list[object]:
    circle: list[object] = [bytes(5_000)]
    circle.append(circle)
    return circle


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_takes_what_was_allocated_for_it(kind: str) -> None:
    VALUES[kind]()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    value = VALUES[kind]()
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert size_of(value) == pytest.approx(taken, rel=0.15)


def test_what_is_shared_counts_nothing() -> None:
    shared = [bytes(5_000)]
    assert size_of([shared, shared]) > 5_000
    assert size_of([shared, shared], shared=[shared]) < 200
    assert size_of(Plain) == 0
