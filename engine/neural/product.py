"""The innermost loop of inference: the convolution of a block of cells with quantised weights.

Inputs and weights are 16-bit integers. Processors multiply twice as many of them at once as of
float32, and add up pairs of products in the same instruction.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernel.generic import Array
from engine.kernel.mode import generated_by
from engine.neural.sizes import PAIRS
from engine.neural.vectors import Vector

HIGHEST: Final = 8191
"""The highest value of a quantised input."""
MOST: Final = (2**31 - 1) // HIGHEST
"""The highest sum of the absolute weights of one output for which no input overflows int32."""
LARGEST: Final = 2**15 - 1


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


@generated_by("engine.neural.llvm.product")
def add_products(
    sums: Array, added: Vector, inputs: Array, taps: Array, weights: Array, factors: Vector
) -> None:
    """Add the convolution times `factors`, and `added`, to `sums`.

    Args:
        sums: float32 (rows, C).
        added: C numbers.
        inputs: int16 (rows + 1, C), from 0 to HIGHEST.
        taps: int32 (rows, taps), the rows of `inputs` that each row reads. The number of rows is a
            multiple of ROWS.
        weights: int16 (taps, C / 2, C, 2), from `whole_weights`.
        factors: C numbers.
    """
    read = inputs[taps].reshape(len(taps), -1, PAIRS, 2).astype(np.int64)
    products = np.einsum("rtpi,tpoi->ro", read, weights.astype(np.int64))
    sums += added + products.astype(np.float32) * factors
