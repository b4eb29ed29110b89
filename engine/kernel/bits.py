"""Integer conversions, bit operations and random numbers for kernels, with types for mypy."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

import numba
from numba import types
from numba.extending import intrinsic

from engine.kernel import uncompiled
from engine.kernel.generic import Array, jitable

Word: TypeAlias = Any
"""A uint64, or its LLVM value in the code generators below."""

int64: Final = cast("Callable[[Any], int]", numba.int64)
uint64: Final = cast("Callable[[int], Word]", numba.uint64)


def _count_ones(typing_context: object, word: types.Type) -> tuple[object, Callable[..., Word]]:
    del typing_context, word

    def generate(context: Word, builder: Word, signature: Word, arguments: Word) -> Word:
        del context, signature
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


def _lowest_one(typing_context: object, word: types.Type) -> tuple[object, Callable[..., Word]]:
    del typing_context, word

    def generate(context: Word, builder: Word, signature: Word, arguments: Word) -> Word:
        del signature
        never_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], never_zero)

    return types.int64(types.int64), generate


count_ones: Final = cast(
    "Callable[[Word], int]", uncompiled.count_ones if uncompiled.IS_ON else intrinsic(_count_ones)
)
"""The number of set bits in a uint64."""
lowest_one: Final = cast(
    "Callable[[int], int]", uncompiled.lowest_one if uncompiled.IS_ON else intrinsic(_lowest_one)
)
"""The index of the lowest set bit of an int64, which must not be zero."""


@jitable
def random_below(rng: Array, bound: int) -> int:
    """Return a random number in 0..bound-1, from one step of a 64-bit xorshift generator.

    `rng` is a uint64 array of one nonzero number, the state of the generator.
    """
    word = rng[0]
    word ^= word << uint64(13)
    word ^= word >> uint64(7)
    word ^= word << uint64(17)
    rng[0] = word
    return int64((word >> uint64(32)) * uint64(bound) >> uint64(32))
