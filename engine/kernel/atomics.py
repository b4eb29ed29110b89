"""Atomic operations on array elements that several threads share.

`add` and `exchange` are atomic: no update is lost. `publish` is a store with release ordering and
`published` a load with acquire ordering. A thread that reads a published value also sees every
write that preceded `publish`. Processors and compilers may reorder other reads and writes. When
compilation is off, a lock in Python makes the updates atomic.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeAlias, cast

from numba import types
from numba.extending import intrinsic

from engine.kernel import uncompiled
from engine.kernel.generic import Array

LLVM: TypeAlias = Any
Generated: TypeAlias = tuple[object, Callable[..., LLVM]]


def _place(context: LLVM, builder: LLVM, kind: LLVM, array: LLVM, index: LLVM) -> LLVM:
    """Return a pointer to an element of a contiguous array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [index])


def _add(typing_context: LLVM, array: LLVM, index: LLVM, amount: LLVM) -> Generated:
    del typing_context, index, amount

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        before = builder.atomic_rmw("add", place, arguments[2], "monotonic")
        return context.cast(builder, before, array.dtype, types.int64)

    return types.int64(array, types.int64, array.dtype), generate


def _exchange(
    typing_context: LLVM, array: LLVM, index: LLVM, expected: LLVM, value: LLVM
) -> Generated:
    del typing_context, index, expected, value

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        answer = builder.cmpxchg(place, *arguments[2:], "acq_rel", "acquire")
        return builder.extract_value(answer, 1)

    return types.boolean(array, types.int64, array.dtype, array.dtype), generate


def _published(typing_context: LLVM, array: LLVM, index: LLVM) -> Generated:
    del typing_context, index

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments)
        value = builder.load_atomic(place, "acquire", array.dtype.bitwidth // 8)
        return context.cast(builder, value, array.dtype, types.int64)

    return types.int64(array, types.int64), generate


def _publish(typing_context: LLVM, array: LLVM, index: LLVM, value: LLVM) -> Generated:
    del typing_context, index, value

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], place, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), generate


_turns: Final = Lock()


def _add_slowly(array: Array, index: int, amount: int) -> int:
    with _turns:
        before = int(array[index])
        array[index] += amount
    return before


def _exchange_slowly(array: Array, index: int, expected: int, value: int) -> bool:
    with _turns:
        if array[index] != expected:
            return False
        array[index] = value
    return True


def _published_slowly(array: Array, index: int) -> int:
    return int(array[index])


def _publish_slowly(array: Array, index: int, value: int) -> None:
    array[index] = value


def _choose(fast: Callable[..., Any], slow: Callable[..., Any]) -> Any:  # noqa: ANN401
    return slow if uncompiled.IS_ON else intrinsic(fast)


add: Final = cast("Callable[[Array, int, int], int]", _choose(_add, _add_slowly))
"""Add to an element atomically and return its previous value."""
exchange: Final = cast(
    "Callable[[Array, int, int, int], bool]", _choose(_exchange, _exchange_slowly)
)
"""Compare and swap: replace an element if it has the expected value; return whether it had."""
published: Final = cast("Callable[[Array, int], int]", _choose(_published, _published_slowly))
"""Load an element that another thread may `publish`."""
publish: Final = cast("Callable[[Array, int, int], None]", _choose(_publish, _publish_slowly))
"""Store an element so that all earlier writes of this thread become visible before it."""
