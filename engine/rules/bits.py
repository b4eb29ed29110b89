"""Bit operations that processors have and Numba lacks."""

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def count_ones(typing_context: Any, word: types.Integer) -> Any:
    """The number of ones in a uint64, as an int64."""
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_one(typing_context: Any, word: types.Integer) -> Any:
    """The place of the lowest one in a nonzero int64."""
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del signature
        never_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], never_zero)

    return types.int64(types.int64), generate
