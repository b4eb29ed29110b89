"""Inference: the network's policy logits for the placements and its value of a position."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernel import generic as kernel
from engine.kernel.bits import int64
from engine.kernel.generic import Record, jitable
from engine.kernel.logistic import logistic
from engine.neural.network import Network
from engine.neural.parameters import Floats
from engine.neural.product import HIGHEST, add_products
from engine.neural.sizes import CHANNELS
from engine.neural.vectors import (
    higher,
    highest,
    plus,
    put,
    put_whole,
    row,
    spread,
    times_plus,
    total,
)

TINY: Final = 1e-30
"""A lower bound on the highest activation, so that the unit of rounding is never zero."""


class Activations(NamedTuple):
    """The working memory of one thread, with the results in `logits` and `expected`.

    `logits` (n_steps,) has one number per placement; higher is more promising. `expected` (1,) is
    the expected result of the player to move, from 0 to 1.
    """

    codes: NDArray[np.uint8]
    numbers: Floats
    sums: Floats
    active: Floats
    whole: NDArray[np.int16]
    pooled: Floats
    logits: Floats
    expected: Floats


def activations(network: Network, n_steps: int) -> Activations:
    rows = len(network.base)
    return Activations(
        codes=np.zeros(max(rows, 1), np.uint8),
        numbers=np.zeros(max(len(network.numbers), 1), np.float32),
        sums=np.zeros((rows, CHANNELS), np.float32),
        active=np.zeros((rows, CHANNELS), np.float32),
        whole=np.zeros((rows + 1, CHANNELS), np.int16),
        pooled=np.zeros(2 * CHANNELS, np.float32),
        logits=np.zeros(n_steps, np.float32),
        expected=np.zeros(1, np.float32),
    )


@jitable
def judge(board: Record, state: Record, network: Network, work: Activations) -> None:
    """Evaluate a position in which the game is not over; `work` receives the results."""
    turned = kernel.features(board, state, work.codes, work.numbers)
    n_cells = int64(board.n_cells)
    look_up(network, work, n_cells)
    for layer in range(network.layers.shape[0]):
        activate(work, n_cells)
        add_layer(network, work, layer, n_cells)
    activate(work, n_cells)
    answer_policy(network, work, n_cells, turned)
    work.expected[0] = expectation(network, work)


@jitable
def look_up(network: Network, work: Activations, n_cells: int) -> None:
    """Compute the first layer by table lookups with the codes of each cell and its neighbours."""
    n_codes = int64(network.table.shape[1])
    added = spread(np.float32(0))
    for number in range(network.numbers.shape[0]):
        added = times_plus(spread(work.numbers[number]), row(network.numbers, number), added)
    for cell in range(n_cells):
        sums = plus(row(network.base, cell), added)
        for tap in range(network.taps.shape[1]):
            other = int64(network.taps[cell, tap])
            if other < n_cells:
                sums = plus(sums, row(network.table, tap * n_codes + int64(work.codes[other])))
        put(work.sums, cell, sums)


@jitable
def activate(work: Activations, n_cells: int) -> None:
    """Apply ReLU to the sums, and pool the result over the board (mean and maximum)."""
    zero = spread(np.float32(0))
    added, most = zero, zero
    for cell in range(n_cells):
        active = higher(row(work.sums, cell), zero)
        put(work.active, cell, active)
        added = plus(added, active)
        most = higher(most, active)
    put(work.pooled, 0, times_plus(added, spread(np.float32(1 / n_cells)), zero))
    put(work.pooled, 1, most)


@jitable
def add_layer(network: Network, work: Activations, layer: int, n_cells: int) -> None:
    """Add a residual layer to each cell: convolution, bias and, in odd layers, pooled values."""
    unit = np.float32(round_off(work, n_cells))
    factors = times_plus(row(network.factors, layer), spread(unit), spread(np.float32(0)))
    added = row(network.biases, layer)
    if layer % 2 == 1:
        first = int64(layer // 2) * 2 * CHANNELS
        for source in range(2 * CHANNELS):
            weights = row(network.pooled, first + source)
            added = times_plus(spread(work.pooled[source]), weights, added)
    weights = network.layers[layer]
    add_products(work.sums, added, work.whole, network.taps, weights, factors)


@jitable
def round_off(work: Activations, n_cells: int) -> float:
    """Quantise the activations to 16-bit integers; return the value of one unit."""
    most = max(float(highest(row(work.pooled, 1))), TINY)
    scale, half = spread(np.float32(HIGHEST / most)), spread(np.float32(0.5))
    for cell in range(n_cells):
        put_whole(work.whole, cell, times_plus(row(work.active, cell), scale, half))
    return most / HIGHEST


@jitable
def answer_policy(network: Network, work: Activations, n_cells: int, turned: int) -> None:
    kinds = int64(network.policy.shape[0])
    zero = spread(np.float32(0))
    for kind in range(kinds):
        weights = row(network.policy, kind ^ turned)
        for cell in range(n_cells):
            products = times_plus(row(work.active, cell), weights, zero)
            work.logits[kinds * cell + kind] = total(products)


@jitable
def expectation(network: Network, work: Activations) -> float:
    blocks = int64(network.value.shape[0] // CHANNELS)
    zero = spread(np.float32(0))
    products = zero
    for block in range(blocks):
        hidden = row(network.hidden_bias, block)
        for source in range(2 * CHANNELS):
            weights = row(network.hidden, source * blocks + block)
            hidden = times_plus(spread(work.pooled[source]), weights, hidden)
        products = times_plus(higher(hidden, zero), row(network.value, block), products)
    return logistic(float(network.value_bias[0] + total(products)))
