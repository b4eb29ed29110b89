"""The convolution of `engine.neural.product` as LLVM IR, for vectors of any width."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from engine.kernel.processor import features
from engine.neural.llvm.vectors import FLOATS, INTS, VECTOR, everywhere
from engine.neural.sizes import CHANNELS, PAIRS, ROWS

LLVM: TypeAlias = Any

_INT: Final = ir.IntType(32)
_WORD: Final = ir.IntType(64)
_SHORT: Final = ir.IntType(16)
_SHORTS: Final = ir.VectorType(_SHORT, 2 * CHANNELS)
_PRODUCTS: Final = ir.VectorType(_INT, 2 * CHANNELS)
FUNCTION: Final = "bluestone.add_products"
TYPE: Final = ir.FunctionType(
    ir.VoidType(),
    [
        FLOATS.as_pointer(),  # sums
        FLOATS,  # added
        _INT.as_pointer(),  # inputs, in pairs
        _INT.as_pointer(),  # taps
        _SHORTS.as_pointer(),  # weights
        FLOATS,  # factors
        _WORD,  # rows
        _WORD,  # taps of a row
    ],
)

SumsOfPairs: TypeAlias = Callable[[LLVM, LLVM, LLVM], LLVM]


@intrinsic
def add_products(
    typing_context: LLVM,
    sums: LLVM,
    added: LLVM,
    inputs: LLVM,
    taps: LLVM,
    weights: LLVM,
    factors: LLVM,
) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, added, factors

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        def array(place: int) -> LLVM:
            kind = signature.args[place]
            return context.make_array(kind)(context, builder, arguments[place])

        def data(place: int, kind: LLVM) -> LLVM:
            return builder.bitcast(array(place).data, kind)

        kinds = TYPE.args
        rows, n_taps = (builder.extract_value(array(3).shape, place) for place in range(2))
        given = [
            data(0, kinds[0]),
            arguments[1],
            *(data(place, kinds[place]) for place in (2, 3, 4)),
            arguments[5],
            rows,
            n_taps,
        ]
        function = cgutils.get_or_insert_function(builder.module, TYPE, FUNCTION)
        if DEFINES and function.is_declaration:
            define(function, _block_here(), sums_of_pairs)
        builder.call(function, given)
        return context.get_dummy_value()

    return types.void(sums, VECTOR, inputs, taps, weights, VECTOR), generate


DEFINES = True
"""Whether modules define the function that they call; False while they are made for any target."""


def _block_here() -> int:
    return 8 if "avx512f" in features() else 4


def define(function: LLVM, block: int, sums_of_pairs: SumsOfPairs) -> None:
    """Write the body of the function that adds the products.

    Args:
        function: The function, declared in its module.
        block: How many rows are computed at once: as many as have their sums in registers.
        sums_of_pairs: Generates the products of two rows of pairs, added in pairs.
    """
    assert ROWS % block == 0
    function.linkage = "linkonce_odr"
    function.attributes.add("alwaysinline")
    sums, added, inputs, taps, weights, factors, rows, n_taps = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    with cgutils.for_range(builder, builder.udiv(rows, _WORD(block))) as loop:
        start = builder.mul(loop.index, _WORD(block))
        places = [builder.add(start, _WORD(cell)) for cell in range(block)]
        products = _products(builder, places, n_taps, inputs, taps, weights, sums_of_pairs)
        for row, product in zip(places, products, strict=True):
            place = builder.gep(sums, [row])
            scaled = builder.fmul(builder.sitofp(product, FLOATS), factors)
            so_far = builder.fadd(builder.load(place, align=4), added)
            builder.store(builder.fadd(so_far, scaled), place, align=4)
    builder.ret_void()


def _products(
    builder: LLVM,
    rows: list[LLVM],
    n_taps: LLVM,
    inputs: LLVM,
    taps: LLVM,
    weights: LLVM,
    sums_of_pairs: SumsOfPairs,
) -> list[LLVM]:
    """Generate the loop over the taps of one block. LLVM keeps its sums in registers."""
    totals = [cgutils.alloca_once(builder, INTS) for _ in rows]
    for total in totals:
        builder.store(ir.Constant(INTS, None), total)
    with cgutils.for_range(builder, n_taps) as tap:
        cells = [_cell_read(builder, taps, n_taps, row, tap.index) for row in rows]
        offsets = [builder.mul(cell, _WORD(PAIRS)) for cell in cells]
        first = builder.mul(tap.index, _WORD(PAIRS))
        for pair in range(PAIRS):
            row = builder.gep(weights, [builder.add(first, _WORD(pair))])
            row_of_weights = builder.load(row, align=2)
            for total, offset in zip(totals, offsets, strict=True):
                place = builder.gep(inputs, [builder.add(offset, _WORD(pair))])
                both = everywhere(builder, builder.load(place, align=2), INTS)
                added = sums_of_pairs(builder, both, row_of_weights)
                builder.store(builder.add(builder.load(total), added), total)
    return [builder.load(total) for total in totals]


def _cell_read(builder: LLVM, taps: LLVM, n_taps: LLVM, row: LLVM, tap: LLVM) -> LLVM:
    place = builder.gep(taps, [builder.add(builder.mul(row, n_taps), tap)])
    return builder.sext(builder.load(place), row.type)


def sums_of_pairs(builder: LLVM, both: LLVM, weights: LLVM) -> LLVM:
    """Generate the products of two channels' 16-bit inputs with their weights, added in pairs.

    LLVM compiles this pattern to one x86 instruction. On some processors that instruction also
    includes the addition that follows.
    """
    numbers = builder.sext(builder.bitcast(both, _SHORTS), _PRODUCTS)
    products = builder.mul(numbers, builder.sext(weights, _PRODUCTS))
    nothing = ir.Constant(_PRODUCTS, ir.Undefined)
    even, odd = (
        builder.shuffle_vector(
            products, nothing, ir.Constant(INTS, list(range(first, 2 * CHANNELS, 2)))
        )
        for first in range(2)
    )
    return builder.add(even, odd)
