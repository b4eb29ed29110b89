"""The network once more, from its description with NumPy alone, and random weights for it."""

import numpy as np
from numpy.typing import NDArray

from engine.game import Game
from engine.kernel import generic as kernel
from engine.kernel.generic import Array, Record, compiled
from engine.neural.geometry import STATIC, static_planes, taps
from engine.neural.parameters import Parameters
from engine.neural.sizes import CHANNELS

HIDDEN = 5


def random_parameters(game: Game, layers: int, seed: int) -> Parameters:
    """Weights large enough that every part of the network matters."""
    chance = np.random.default_rng(seed)
    encoding = game.rules.encoding
    planes = encoding.planes.shape[1] + STATIC

    def some(*shape: int) -> NDArray[np.float32]:
        return chance.normal(0, 0.2, shape).astype(np.float32)

    return Parameters(
        first=some(7, planes, CHANNELS),
        first_bias=some(CHANNELS),
        numbers=some(encoding.numbers, CHANNELS),
        layers=some(layers, 7, CHANNELS, CHANNELS),
        biases=some(layers, CHANNELS),
        pooled=some(layers // 2, 2 * CHANNELS, CHANNELS),
        policy=some(CHANNELS, game.kinds),
        hidden=some(2 * CHANNELS, HIDDEN),
        hidden_bias=some(HIDDEN),
        value=some(HIDDEN),
        value_bias=some(1),
    )


def judged(
    game: Game, parameters: Parameters, codes: Array, numbers: Array
) -> tuple[NDArray[np.float64], float]:
    """The policy, shape (cells, kinds), and the chance of the player to move."""
    planes = game.rules.encoding.planes[codes].astype(np.float64)
    planes = np.concatenate([planes, static_planes(game.board)], axis=1)
    sums = _convolved(game, planes, parameters.first)
    sums += parameters.first_bias + numbers @ parameters.numbers
    for layer, (weights, bias) in enumerate(zip(parameters.layers, parameters.biases, strict=True)):
        active = np.maximum(sums, 0)
        added = _convolved(game, active, weights) + bias
        if layer % 2 == 1:
            added += _pooled(active) @ parameters.pooled[layer // 2]
        sums = sums + added
    active = np.maximum(sums, 0)
    hidden = np.maximum(_pooled(active) @ parameters.hidden + parameters.hidden_bias, 0)
    value = hidden @ parameters.value + parameters.value_bias[0]
    return active @ parameters.policy, float(1 / (1 + np.exp(-value)))


def _convolved(game: Game, planes: Array, weights: Array) -> NDArray[np.float64]:
    found = np.zeros((len(planes), weights.shape[2]))
    for cell, read in enumerate(taps(game.board)):
        for tap, other in enumerate(read):
            if other >= 0:
                found[cell] += planes[other] @ weights[tap]
    return found


def _pooled(active: Array) -> NDArray[np.float64]:
    return np.concatenate([active.mean(0), active.max(0)])


@compiled
def seen(board: Record, state: Record, codes: Array, numbers: Array) -> int:
    """What the game shows of a position."""
    return kernel.features(board, state, codes, numbers)


def features_of(game: Game, state: Record) -> tuple[Array, Array, int]:
    """Codes, numbers, and the kind that the network takes for the first."""
    codes = np.zeros(len(game.board.cells), np.uint8)
    numbers = np.zeros(game.rules.encoding.numbers, np.float32)
    turned = seen(game.record, state, codes, numbers)
    return codes, numbers, int(turned)
