"""When compiled code stops before it is done: at a moment of the monotonic clock.

A *halt* is an array of one int64, the moment in nanoseconds at which all code that reads it stops.
Another thread may write an earlier moment at any time. Compiled code reads the clock itself: on a
busy machine a thread that watches the clock for it may not run in time.
"""

import time
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.kernel.atomics import published
from engine.kernel.generic import Array, jitable
from engine.kernel.mode import generated_by

Halt: TypeAlias = npt.NDArray[np.int64]

NEVER: Final = 2**63 - 1
"""The moment of a halt that stops nothing."""


def new_halt() -> Halt:
    """Return a halt that stops nothing yet."""
    return np.array([NEVER], np.int64)


def halt_now(halt: Halt) -> None:
    """Stop the code that reads `halt`. Any thread may call this."""
    halt[0] = 0


def halt_in(halt: Halt, seconds: float | None) -> None:
    """Stop the code that reads `halt` so many seconds from now; never if None."""
    halt[0] = NEVER if seconds is None else time.monotonic_ns() + int(seconds * 1e9)


@generated_by("engine.kernel.llvm.halt")
def monotonic_ns() -> int:
    """Return the monotonic clock in nanoseconds. For kernels only."""
    return time.monotonic_ns()


@jitable
def is_halted(halt: Array) -> bool:
    """Return whether the moment of the halt has come."""
    moment = published(halt, 0)
    return moment != NEVER and monotonic_ns() >= moment
