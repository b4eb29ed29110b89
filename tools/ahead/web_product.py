"""The innermost loop of the network for WebAssembly."""

from typing import Final

from llvmlite import ir
from numba.core import cgutils

from engine.neural.llvm.product import LLVM
from engine.neural.llvm.vectors import part_of
from engine.neural.sizes import CHANNELS

LANES: Final = 4
"""The 32-bit numbers of a vector."""
_SHORTS: Final = ir.VectorType(ir.IntType(16), 2 * LANES)
_INTS: Final = ir.VectorType(ir.IntType(32), LANES)
_DOT: Final = ir.FunctionType(_INTS, [_SHORTS, _SHORTS])


def dot_products(builder: LLVM, both: LLVM, weights: LLVM) -> LLVM:
    """Generate `engine.neural.llvm.product.sums_of_pairs` as `i32x4.dot_i16x8_s`.

    LLVM does not find that instruction in the general pattern: it multiplies and adds one by one.
    """
    dot = cgutils.get_or_insert_function(builder.module, _DOT, "llvm.wasm.dot")
    inputs = builder.bitcast(part_of(builder, both, 0, LANES), _SHORTS)
    found = [
        builder.call(dot, [inputs, part_of(builder, weights, 2 * first, 2 * LANES)])
        for first in range(0, CHANNELS, LANES)
    ]
    while len(found) > 1:
        found = [
            joined(builder, one, other) for one, other in zip(found[::2], found[1::2], strict=True)
        ]
    return found[0]


def joined(builder: LLVM, one: LLVM, other: LLVM) -> LLVM:
    """Generate the vector of the numbers of two vectors of the same length."""
    count = one.type.count + other.type.count
    places = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(count)))
    return builder.shuffle_vector(one, other, places)
