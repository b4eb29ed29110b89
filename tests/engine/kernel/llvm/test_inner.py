"""What only kernels call is compiled once for all of them, and still runs for Python."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core import event

from engine.kernel.bits import int64
from engine.kernel.generic import Array, jitable


@jitable
def tripled(number: int) -> int:
    return 3 * number


@jitable
def tripled_up_to(number: int, most: int) -> int:
    return min(tripled(number), most)


@njit(nogil=True)
def sum_of_tripled(numbers: Array) -> int:
    total = int64(0)
    for number in numbers:
        total += tripled(number)
    return total


@njit(error_model="numpy")
def first_tripled(numbers: Array, most: int) -> int:
    number = 0  # a literal, until the loop tells that it is any number
    while tripled_up_to(number, most) < numbers[0]:
        number += 1
    return number


class Compilations(event.Listener):
    """How often each function was compiled."""

    def __init__(self) -> None:
        self.counted = Counter[str]()

    def on_start(self, event: Any) -> None:
        """Count one."""
        self.counted[event.data["dispatcher"].py_func.__name__] += 1

    def on_end(self, event: Any) -> None:
        """Nothing more to note."""


@pytest.fixture
def compilations() -> Iterator[Counter[str]]:
    listener = Compilations()
    with event.install_listener("numba:compile", listener):
        yield listener.counted


def test_all_kernels_share_one_compilation(compilations: Counter[str]) -> None:
    numbers = np.array([4, 5], np.int64)
    assert sum_of_tripled(numbers) == 27
    assert first_tripled(numbers, 100) == 2
    assert compilations["tripled"] == 1
    assert compilations["tripled_up_to"] == 1


def test_python_can_call_the_functions_of_kernels() -> None:
    assert tripled(5) == 15
    assert tripled_up_to(5, 10) == 10
