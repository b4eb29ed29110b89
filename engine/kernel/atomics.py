"""Numbers of arrays that several threads read and write at once.

What is taken or added here is never lost, and who reads what `publish` wrote also sees all that was
written before it: processors and compilers are free to swap other reads and writes. In plain Python
a lock does the same.
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
    """Where that element of a contiguous array stands."""
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
"""Add to an element, and return what it was before."""
exchange: Final = cast(
    "Callable[[Array, int, int, int], bool]", _choose(_exchange, _exchange_slowly)
)
"""Replace an element if it is the one expected, and say whether it was."""
published: Final = cast("Callable[[Array, int], int]", _choose(_published, _published_slowly))
"""An element that another thread may `publish`."""
publish: Final = cast("Callable[[Array, int, int], None]", _choose(_publish, _publish_slowly))
"""Write an element, after all that was written before it in this thread."""
