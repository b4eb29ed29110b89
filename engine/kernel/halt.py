"""When compiled code stops before it is done: at a moment of the monotonic clock.

A *halt* is an array of one int64, the moment in nanoseconds at which all code that reads it stops.
Another thread may write an earlier moment at any time. Compiled code reads the clock itself: on a
busy machine a thread that watches the clock for it may not run in time.
"""

import time
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from engine.kernel import uncompiled
from engine.kernel.atomics import published
from engine.kernel.generic import Array, jitable

LLVM: TypeAlias = Any
Halt: TypeAlias = npt.NDArray[np.int64]

NEVER: Final = 2**63 - 1
"""The moment of a halt that stops nothing."""
_CLOCK: Final = time.CLOCK_MONOTONIC


def new_halt() -> Halt:
    """Return a halt that stops nothing yet."""
    return np.array([NEVER], np.int64)


def halt_now(halt: Halt) -> None:
    """Stop the code that reads `halt`. Any thread may call this."""
    halt[0] = 0


def halt_in(halt: Halt, seconds: float | None) -> None:
    """Stop the code that reads `halt` so many seconds from now; never if None."""
    halt[0] = NEVER if seconds is None else time.monotonic_ns() + int(seconds * 1e9)


_WORD: Final = ir.IntType(64)
_NUMBER: Final = ir.IntType(32)
_READS: Final = ir.FunctionType(_NUMBER, [_NUMBER, _WORD.as_pointer()])


def _now(typing_context: LLVM) -> tuple[object, Any]:
    """Call `clock_gettime` of the C library, as `time.monotonic_ns` does."""
    del typing_context

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature, arguments
        read = cgutils.get_or_insert_function(builder.module, _READS, "clock_gettime")
        place = cgutils.alloca_once(builder, _WORD, 2)
        builder.call(read, [_NUMBER(_CLOCK), place])
        seconds = builder.load(place)
        nanoseconds = builder.load(builder.gep(place, [_WORD(1)]))
        return builder.add(builder.mul(seconds, _WORD(1_000_000_000)), nanoseconds)

    return types.int64(), generate


monotonic_ns: Final = cast("Any", time.monotonic_ns if uncompiled.IS_ON else intrinsic(_now))
"""Return the monotonic clock in nanoseconds. For compiled code only."""


@jitable
def is_halted(halt: Array) -> bool:
    """Return whether the moment of the halt has come."""
    moment = published(halt, 0)
    return moment != NEVER and monotonic_ns() >= moment
