"""Moments at which compiled code stops."""

import time

import pytest

from engine.kernel.generic import Array, compiled
from engine.kernel.halt import halt_in, halt_now, is_halted, monotonic_ns, new_halt

pytestmark = pytest.mark.uncompiled


@compiled
def read_clock() -> int:
    moment: int = monotonic_ns()
    return moment


@compiled
def asks_until_halted(halt: Array, most: int) -> int:
    for asked in range(most):
        if is_halted(halt):
            return asked
    return most


def test_compiled_code_reads_the_clock_of_python() -> None:
    for _ in range(10):
        before = time.monotonic_ns()
        assert before <= read_clock() <= time.monotonic_ns()


@pytest.mark.parametrize(("seconds", "asked"), [(None, 9), (3600.0, 9), (0.0, 0), (-1.0, 0)])
def test_code_stops_when_its_moment_has_come(seconds: float | None, asked: int) -> None:
    halt = new_halt()
    halt_in(halt, seconds)
    assert asks_until_halted(halt, 9) == asked


def test_a_halt_may_be_moved() -> None:
    halt = new_halt()
    assert asks_until_halted(halt, 9) == 9
    halt_now(halt)
    assert asks_until_halted(halt, 9) == 0
    halt_in(halt, None)
    assert asks_until_halted(halt, 9) == 9
