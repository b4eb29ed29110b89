"""Vectors of sixteen numbers, one per channel, that stay in the processor's registers.

A Numba loop over sixteen channels keeps its sums in memory and handles one number at a time, at a
fraction of the speed. These vectors are LLVM vectors; LLVM splits them if the processor's are
shorter. When compilation is off, they are NumPy arrays.

Sums have a fixed order, and a multiplication is rounded before an addition follows. So every
processor computes the same numbers, and the search finds the same turn, whatever its vectors.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from engine.kernel import uncompiled
from engine.kernel.generic import Array

CHANNELS: Final = 16

LLVM: TypeAlias = Any
Vector: TypeAlias = Any

FLOATS: Final = ir.VectorType(ir.FloatType(), CHANNELS)
SHORTS: Final = ir.VectorType(ir.IntType(16), CHANNELS)
INTS: Final = ir.VectorType(ir.IntType(32), CHANNELS)


class VectorType(types.Type):
    """The Numba type of a vector of CHANNELS float32."""

    def __init__(self) -> None:
        super().__init__(name="Vector")


VECTOR: Final = VectorType()


@register_model(VectorType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: LLVM, kind: LLVM) -> None:
        super().__init__(manager, kind, FLOATS)


def pointer(context: LLVM, builder: LLVM, kind: LLVM, vector: LLVM, array: LLVM, row: LLVM) -> LLVM:
    """Return a pointer to a row of CHANNELS numbers in a contiguous array."""
    data = context.make_array(kind)(context, builder, array).data
    place = builder.gep(data, [builder.mul(row, row.type(CHANNELS))])
    return builder.bitcast(place, vector.as_pointer())


def _row(typing_context: LLVM, array: LLVM, index: LLVM) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, index

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        return builder.load(
            pointer(context, builder, signature.args[0], FLOATS, *arguments), align=4
        )

    return VECTOR(array, types.int64), generate


def _put(
    typing_context: LLVM, array: LLVM, index: LLVM, vector: LLVM
) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, index, vector

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = pointer(context, builder, signature.args[0], FLOATS, *arguments[:2])
        builder.store(arguments[2], place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, VECTOR), generate


def _put_whole(
    typing_context: LLVM, array: LLVM, index: LLVM, vector: LLVM
) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, index, vector

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = pointer(context, builder, signature.args[0], SHORTS, *arguments[:2])
        whole = builder.trunc(builder.fptosi(arguments[2], INTS), SHORTS)
        builder.store(whole, place, align=2)
        return context.get_dummy_value()

    return types.void(array, types.int64, VECTOR), generate


def _spread(typing_context: LLVM, number: LLVM) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, number

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        return everywhere(builder, arguments[0], FLOATS)

    return VECTOR(types.float32), generate


def everywhere(builder: LLVM, number: LLVM, kind: LLVM) -> LLVM:
    """Generate a vector with the same number in each element."""
    nothing = ir.Constant(kind, ir.Undefined)
    single = builder.insert_element(nothing, number, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(single, nothing, zeros)


def part_of(builder: LLVM, numbers: LLVM, first: int, count: int) -> LLVM:
    """Generate the vector of `count` elements of another one, from `first` on."""
    nothing = ir.Constant(numbers.type, ir.Undefined)
    places = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(first, first + count)))
    return builder.shuffle_vector(numbers, nothing, places)


def _plus(typing_context: LLVM, one: LLVM, other: LLVM) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, one, other

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        return builder.fadd(*arguments)

    return VECTOR(VECTOR, VECTOR), generate


def _higher(typing_context: LLVM, one: LLVM, other: LLVM) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, one, other

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return VECTOR(VECTOR, VECTOR), generate


def _times_plus(
    typing_context: LLVM, one: LLVM, other: LLVM, added: LLVM
) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, one, other, added

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        one, other, added = arguments
        return builder.fadd(builder.fmul(one, other), added)

    return VECTOR(VECTOR, VECTOR, VECTOR), generate


def _highest(typing_context: LLVM, vector: LLVM) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, vector

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        kind = ir.FunctionType(ir.FloatType(), [FLOATS])
        name = f"llvm.vector.reduce.fmax.v{CHANNELS}f32"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, arguments, fastmath=("nnan",))

    return types.float32(VECTOR), generate


def _total(typing_context: LLVM, vector: LLVM) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, vector

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        [numbers] = arguments
        count = CHANNELS
        while count > 1:
            count //= 2
            halves = [part_of(builder, numbers, first, count) for first in (0, count)]
            numbers = builder.fadd(*halves)
        return builder.extract_element(numbers, ir.IntType(32)(0))

    return types.float32(VECTOR), generate


def _row_slowly(array: Array, index: int) -> Vector:
    return array.reshape(-1, CHANNELS)[index].copy()


def _put_slowly(array: Array, index: int, vector: Vector) -> None:
    array.reshape(-1, CHANNELS)[index] = vector


def _spread_slowly(number: float) -> Vector:
    return np.full(CHANNELS, number, np.float32)


def _times_plus_slowly(one: Vector, other: Vector, added: Vector) -> Vector:
    return one * other + added


def _total_slowly(vector: Vector) -> float:
    while len(vector) > 1:
        vector = np.add(*np.split(vector, 2))
    return float(vector[0])


def _choose(fast: Callable[..., Any], slow: Callable[..., Any]) -> Any:  # noqa: ANN401
    return slow if uncompiled.IS_ON else intrinsic(fast)


row: Final = cast("Callable[[Array, int], Vector]", _choose(_row, _row_slowly))
"""Load a row of CHANNELS numbers from a contiguous float32 array viewed as (-1, CHANNELS)."""
put: Final = cast("Callable[[Array, int, Vector], None]", _choose(_put, _put_slowly))
"""Store a vector in the row that `row` loads for the same index."""
put_whole: Final = cast("Callable[[Array, int, Vector], None]", _choose(_put_whole, _put_slowly))
"""Store the integer parts of the numbers in a row of an int16 array."""
spread: Final = cast("Callable[[np.floating[Any]], Vector]", _choose(_spread, _spread_slowly))
"""Return a vector with the same number in each element."""
plus: Final = cast("Callable[[Vector, Vector], Vector]", _choose(_plus, np.add))
higher: Final = cast("Callable[[Vector, Vector], Vector]", _choose(_higher, np.maximum))
"""Return the elementwise maximum."""
times_plus: Final = cast(
    "Callable[[Vector, Vector, Vector], Vector]", _choose(_times_plus, _times_plus_slowly)
)
"""Return the elementwise product of the first two vectors plus the third."""
total: Final = cast("Callable[[Vector], float]", _choose(_total, _total_slowly))
"""Return the sum of all elements: each is first added to the one that is half of them away."""
highest: Final = cast("Callable[[Vector], float]", _choose(_highest, np.max))
"""Return the highest element."""
