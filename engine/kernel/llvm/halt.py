"""The clock of `engine.kernel.halt`, read by compiled code."""

import time
from typing import Any, Final, TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LLVM: TypeAlias = Any

_CLOCK: Final = time.CLOCK_MONOTONIC
_WORD: Final = ir.IntType(64)
_NUMBER: Final = ir.IntType(32)
_READS: Final = ir.FunctionType(_NUMBER, [_NUMBER, _WORD.as_pointer()])


@intrinsic
def monotonic_ns(typing_context: LLVM) -> tuple[object, Any]:
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
