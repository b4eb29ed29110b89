"""The atomic operations of `engine.kernel.atomics`, each one processor instruction."""

from collections.abc import Callable
from typing import Any, TypeAlias

from numba import types
from numba.extending import intrinsic

LLVM: TypeAlias = Any
Generated: TypeAlias = tuple[object, Callable[..., LLVM]]


def _place(context: LLVM, builder: LLVM, kind: LLVM, array: LLVM, index: LLVM) -> LLVM:
    """Return a pointer to an element of a contiguous array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [index])


@intrinsic
def add(typing_context: LLVM, array: LLVM, index: LLVM, amount: LLVM) -> Generated:
    del typing_context, index, amount

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        before = builder.atomic_rmw("add", place, arguments[2], "monotonic")
        return context.cast(builder, before, array.dtype, types.int64)

    return types.int64(array, types.int64, array.dtype), generate


@intrinsic
def exchange(
    typing_context: LLVM, array: LLVM, index: LLVM, expected: LLVM, value: LLVM
) -> Generated:
    del typing_context, index, expected, value

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        answer = builder.cmpxchg(place, *arguments[2:], "acq_rel", "acquire")
        return builder.extract_value(answer, 1)

    return types.boolean(array, types.int64, array.dtype, array.dtype), generate


@intrinsic
def published(typing_context: LLVM, array: LLVM, index: LLVM) -> Generated:
    del typing_context, index

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments)
        value = builder.load_atomic(place, "acquire", array.dtype.bitwidth // 8)
        return context.cast(builder, value, array.dtype, types.int64)

    return types.int64(array, types.int64), generate


@intrinsic
def publish(typing_context: LLVM, array: LLVM, index: LLVM, value: LLVM) -> Generated:
    del typing_context, index, value

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], place, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), generate
