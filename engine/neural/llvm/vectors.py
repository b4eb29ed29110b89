"""The functions of `engine.neural.vectors` on LLVM vectors.

LLVM splits a vector if the processor's are shorter.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from engine.neural.sizes import CHANNELS

LLVM: TypeAlias = Any
Generated: TypeAlias = tuple[object, Callable[..., LLVM]]

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


@intrinsic
def row(typing_context: LLVM, array: LLVM, index: LLVM) -> Generated:
    del typing_context, index

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        return builder.load(
            pointer(context, builder, signature.args[0], FLOATS, *arguments), align=4
        )

    return VECTOR(array, types.int64), generate


@intrinsic
def put(typing_context: LLVM, array: LLVM, index: LLVM, vector: LLVM) -> Generated:
    del typing_context, index, vector

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = pointer(context, builder, signature.args[0], FLOATS, *arguments[:2])
        builder.store(arguments[2], place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, VECTOR), generate


@intrinsic
def put_whole(typing_context: LLVM, array: LLVM, index: LLVM, vector: LLVM) -> Generated:
    del typing_context, index, vector

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        place = pointer(context, builder, signature.args[0], SHORTS, *arguments[:2])
        whole = builder.trunc(builder.fptosi(arguments[2], INTS), SHORTS)
        builder.store(whole, place, align=2)
        return context.get_dummy_value()

    return types.void(array, types.int64, VECTOR), generate


@intrinsic
def spread(typing_context: LLVM, number: LLVM) -> Generated:
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


@intrinsic
def plus(typing_context: LLVM, one: LLVM, other: LLVM) -> Generated:
    del typing_context, one, other

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        return builder.fadd(*arguments)

    return VECTOR(VECTOR, VECTOR), generate


@intrinsic
def higher(typing_context: LLVM, one: LLVM, other: LLVM) -> Generated:
    del typing_context, one, other

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return VECTOR(VECTOR, VECTOR), generate


@intrinsic
def times_plus(typing_context: LLVM, one: LLVM, other: LLVM, added: LLVM) -> Generated:
    del typing_context, one, other, added

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        one, other, added = arguments
        return builder.fadd(builder.fmul(one, other), added)

    return VECTOR(VECTOR, VECTOR, VECTOR), generate


@intrinsic
def highest(typing_context: LLVM, vector: LLVM) -> Generated:
    del typing_context, vector

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del context, signature
        kind = ir.FunctionType(ir.FloatType(), [FLOATS])
        name = f"llvm.vector.reduce.fmax.v{CHANNELS}f32"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, arguments, fastmath=("nnan",))

    return types.float32(VECTOR), generate


@intrinsic
def total(typing_context: LLVM, vector: LLVM) -> Generated:
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
