"""Convolutions in whole numbers."""

import numpy as np
import pytest

from engine.kernel.generic import Array, compiled
from engine.neural.geometry import TAPS
from engine.neural.product import HIGHEST, add_products, whole_weights
from engine.neural.sizes import CHANNELS, ROWS
from engine.neural.vectors import row

N_ROWS = 2 * ROWS


@compiled
def convolve(
    sums: Array, added: Array, inputs: Array, taps: Array, weights: Array, factors: Array
) -> None:
    add_products(sums, row(added, 0), inputs, taps, weights[0], row(factors, 0))


def convolved(inputs: Array, layers: Array, taps: Array) -> tuple[Array, Array]:
    """As compiled, from sums of 1 and with 2 to add, and as it should be."""
    weights, factors = whole_weights(layers)
    sums = np.ones((N_ROWS, CHANNELS), np.float32)
    convolve(sums, np.full(CHANNELS, 2, np.float32), inputs, taps, weights, factors)
    return sums, 3 + np.einsum("rti,tio->ro", inputs[taps].astype(float), layers[0])


def test_each_row_reads_its_taps() -> None:
    chance = np.random.default_rng(1)
    inputs = chance.integers(0, HIGHEST, (N_ROWS + 1, CHANNELS), np.int16, endpoint=True)
    taps = chance.integers(0, N_ROWS, (N_ROWS, TAPS), np.int32, endpoint=True)
    layers = chance.normal(0, 0.2, (1, TAPS, CHANNELS, CHANNELS)).astype(np.float32)
    sums, expected = convolved(inputs, layers, taps)
    assert np.allclose(sums, expected, rtol=0, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("weight", [1e-9, 0.3, -70.0])
def test_the_largest_sums_do_not_overflow(weight: float) -> None:
    inputs = np.full((N_ROWS + 1, CHANNELS), HIGHEST, np.int16)
    layers = np.full((1, TAPS, CHANNELS, CHANNELS), weight, np.float32)
    sums, expected = convolved(inputs, layers, np.zeros((N_ROWS, TAPS), np.int32))
    assert np.allclose(sums, expected, rtol=1e-3)


def test_zero_weights_have_zero_products() -> None:
    layers = np.zeros((1, TAPS, CHANNELS, CHANNELS), np.float32)
    inputs = np.full((N_ROWS + 1, CHANNELS), HIGHEST, np.int16)
    sums, expected = convolved(inputs, layers, np.zeros((N_ROWS, TAPS), np.int32))
    assert np.array_equal(sums, expected)
