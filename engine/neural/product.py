"""The innermost loop of inference: the convolution of a block of cells with quantised weights.

Inputs and weights are 16-bit integers. Processors multiply twice as many of them at once as of
float32, and add up pairs of products in the same instruction. All cells of a *block* share each
row of weights that the loop loads. The code is LLVM IR for vectors of any width.
"""

from collections.abc import Callable
from typing import Final, cast

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from engine.kernel import uncompiled
from engine.kernel.generic import Array
from engine.neural.vectors import CHANNELS, FLOATS, INTS, LLVM, VECTOR, Vector, everywhere, pointer

HIGHEST: Final = 8191
"""The highest value of a quantised input."""
MOST: Final = (2**31 - 1) // HIGHEST
"""The highest sum of the absolute weights of one output for which no input overflows int32."""
LARGEST: Final = 2**15 - 1
PAIRS: Final = CHANNELS // 2

_INT: Final = ir.IntType(32)
_SHORTS: Final = ir.VectorType(ir.IntType(16), 2 * CHANNELS)
_PRODUCTS: Final = ir.VectorType(_INT, 2 * CHANNELS)


def whole_weights(layers: NDArray[np.float32]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Quantise the weights of the residual layers.

    Args:
        layers: Weights, shape (L, taps, input channels, output channels).

    Returns:
        Integer weights, shape (L, taps, input channels / 2, output channels, 2), and the factors
        that scale their products back, shape (L, output channels).
    """
    n_layers, n_taps, sources, targets = layers.shape
    sizes = np.abs(layers.astype(np.float64))
    smallest = sizes.max((1, 2), initial=np.finfo(np.float32).tiny) / LARGEST
    factors = np.maximum(sizes.sum((1, 2)) / (MOST - n_taps * sources), smallest)
    whole = np.rint(layers / factors[:, None, None]).astype(np.int16)
    pairs = whole.reshape(n_layers, n_taps, sources // 2, 2, targets).swapaxes(3, 4)
    return np.ascontiguousarray(pairs), factors.astype(np.float32)


def _block() -> int:
    """Return how many cells' sums fit in the processor's registers with weights and inputs."""
    return 8 if binding.get_host_cpu_features().get("avx512f") else 4


BLOCK: Final = _block()


def _add_products(
    typing_context: LLVM,
    sums: LLVM,
    added: LLVM,
    inputs: LLVM,
    taps: LLVM,
    weights: LLVM,
    factors: LLVM,
    start: LLVM,
) -> tuple[object, Callable[..., LLVM]]:
    del typing_context, added, factors, start

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        sums, added, *arrays, factors, start = arguments
        data = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[2:5], arrays, strict=True)
        ]
        shape = context.make_array(signature.args[3])(context, builder, arrays[1]).shape
        n_taps = builder.extract_value(shape, 1)
        rows = [builder.add(start, start.type(cell)) for cell in range(BLOCK)]
        products = _products(builder, rows, n_taps, *data)
        for row, product in zip(rows, products, strict=True):
            place = pointer(context, builder, signature.args[0], FLOATS, sums, row)
            scaled = builder.fmul(builder.sitofp(product, FLOATS), factors)
            so_far = builder.fadd(builder.load(place, align=4), added)
            builder.store(builder.fadd(so_far, scaled), place, align=4)
        return context.get_dummy_value()

    return types.void(sums, VECTOR, inputs, taps, weights, VECTOR, types.int64), generate


def _products(
    builder: LLVM, rows: list[LLVM], n_taps: LLVM, inputs: LLVM, taps: LLVM, weights: LLVM
) -> list[LLVM]:
    """Generate the loop over the taps of one block. LLVM keeps its sums in registers."""
    index = n_taps.type
    weights = builder.bitcast(weights, _SHORTS.as_pointer())
    inputs = builder.bitcast(inputs, _INT.as_pointer())
    totals = [cgutils.alloca_once_value(builder, ir.Constant(INTS, None)) for _ in rows]
    with cgutils.for_range(builder, n_taps) as tap:
        cells = [_cell_read(builder, taps, n_taps, row, tap.index) for row in rows]
        offsets = [builder.mul(cell, index(PAIRS)) for cell in cells]
        first = builder.mul(tap.index, index(PAIRS))
        for pair in range(PAIRS):
            row = builder.gep(weights, [builder.add(first, index(pair))])
            row_of_weights = builder.load(row, align=2)
            for total, offset in zip(totals, offsets, strict=True):
                place = builder.gep(inputs, [builder.add(offset, index(pair))])
                both = everywhere(builder, builder.load(place, align=2), INTS)
                added = _sums_of_pairs(builder, both, row_of_weights)
                builder.store(builder.add(builder.load(total), added), total)
    return [builder.load(total) for total in totals]


def _cell_read(builder: LLVM, taps: LLVM, n_taps: LLVM, row: LLVM, tap: LLVM) -> LLVM:
    place = builder.gep(taps, [builder.add(builder.mul(row, n_taps), tap)])
    return builder.sext(builder.load(place), row.type)


def _sums_of_pairs(builder: LLVM, both: LLVM, weights: LLVM) -> LLVM:
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


def _add_products_slowly(
    sums: Array,
    added: Vector,
    inputs: Array,
    taps: Array,
    weights: Array,
    factors: Vector,
    start: int,
) -> None:
    block = slice(start, start + BLOCK)
    read = inputs[taps[block]].reshape(BLOCK, -1, PAIRS, 2).astype(np.int64)
    products = np.einsum("rtpi,tpoi->ro", read, weights.astype(np.int64))
    sums[block] += added + products.astype(np.float32) * factors


add_products: Final = cast(
    "Callable[[Array, Vector, Array, Array, Array, Vector, int], None]",
    _add_products_slowly if uncompiled.IS_ON else intrinsic(_add_products),
)
"""Add the convolution times `factors`, and `added`, to `sums` for a block of cells from `start`.

- `sums`: float32 (rows, C).
- `inputs`: int16 (rows + 1, C), from 0 to HIGHEST.
- `taps`: int32 (rows, taps), the rows of `inputs` that each row reads.
- `weights`: int16 (taps, C / 2, C, 2), from `whole_weights`.
"""
