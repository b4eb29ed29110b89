"""The bit operations of `engine.kernel.bits`, each one processor instruction."""

from collections.abc import Callable
from typing import Any, TypeAlias

from numba import types
from numba.extending import intrinsic

LLVM: TypeAlias = Any
Generated: TypeAlias = tuple[object, Callable[..., LLVM]]


@intrinsic
def count_ones(typing_context: LLVM, word: LLVM) -> Generated:
    del typing_context, word

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_one(typing_context: LLVM, word: LLVM) -> Generated:
    del typing_context, word

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del signature
        never_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], never_zero)

    return types.int64(types.int64), generate
