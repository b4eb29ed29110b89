"""A network prepared for one board, with everything precomputed that no position changes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Game
from engine.neural.geometry import STATIC, TAPS, static_planes, taps
from engine.neural.parameters import Floats, Parameters
from engine.neural.product import whole_weights
from engine.neural.sizes import CHANNELS, ROWS


class Network(NamedTuple):
    """The weights of a network, arranged for inference on one board.

    `rows` is the number of cells, rounded up to a multiple of ROWS. Row `rows` stands for all
    places outside the board.

    - `taps` (rows, 7): the rows that each row's convolution reads.
    - `table` (7, codes, C): the contribution of each code to the first layer, by tap.
    - `base` (rows, C): the contribution of the board to the first layer, including the bias.
    - `layers` and `factors`: the results of `whole_weights`.
    - `policy` (K, C): transposed.
    - `hidden`, `hidden_bias`, `value`: padded with zero units to a multiple of C.

    The other fields are as in `Parameters`. All arrays are empty if there is no network.
    """

    taps: NDArray[np.int32]
    table: Floats
    base: Floats
    numbers: Floats
    layers: NDArray[np.int16]
    factors: Floats
    biases: Floats
    pooled: Floats
    policy: Floats
    hidden: Floats
    hidden_bias: Floats
    value: Floats
    value_bias: Floats


def network_for(game: Game, parameters: Parameters) -> Network:
    """Return the network with the given weights for the board of `game`."""
    encoding, board = game.rules.encoding, game.board
    n_cells, n_planes = len(board.cells), encoding.planes.shape[1]
    rows = -(-n_cells // ROWS) * ROWS
    read = np.full((rows, TAPS), rows, np.int32)
    inside = taps(board)
    read[:n_cells] = np.where(inside < 0, rows, inside)
    base = np.zeros((rows, CHANNELS), np.float32)
    base[:n_cells] = parameters.first_bias
    static = np.concatenate([static_planes(board), np.zeros((1, STATIC), np.float32)])
    for tap in range(TAPS):
        base[:n_cells] += static[inside[:, tap]] @ parameters.first[tap, n_planes:]
    layers, factors = whole_weights(parameters.layers)
    return Network(
        taps=read,
        table=np.einsum("gp,tpc->tgc", encoding.planes, parameters.first[:, :n_planes]).copy(),
        base=base,
        numbers=parameters.numbers,
        layers=layers,
        factors=factors,
        biases=parameters.biases,
        pooled=parameters.pooled,
        policy=np.ascontiguousarray(parameters.policy.T),
        hidden=_padded(parameters.hidden),
        hidden_bias=_padded(parameters.hidden_bias),
        value=_padded(parameters.value),
        value_bias=parameters.value_bias,
    )


def _padded(array: Floats) -> Floats:
    """Pad the last dimension, the hidden units, with zeros to a multiple of CHANNELS."""
    missing = -array.shape[-1] % CHANNELS
    return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, missing)])


def no_network() -> Network:
    """Return an empty network. With it the search uses playouts only."""
    shapes = {name: np.zeros((0,) * rank, np.float32) for name, rank in _RANKS.items()}
    return Network(
        taps=np.zeros((0, TAPS), np.int32), layers=np.zeros((0,) * 5, np.int16), **shapes
    )


_RANKS = {
    "table": 3,
    "base": 2,
    "numbers": 2,
    "factors": 2,
    "biases": 2,
    "pooled": 3,
    "policy": 2,
    "hidden": 2,
    "hidden_bias": 1,
    "value": 1,
    "value_bias": 1,
}
"""The number of dimensions of each array."""
