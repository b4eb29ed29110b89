"""The trained weights of a network, and their files.

The network is a small version of KataGo's (Wu, 2019):

- a convolution over the input planes,
- residual convolutions; every second one also adds a linear function of the pooled activations
  (mean and maximum over the board) to all cells,
- a policy head with one logit per placement, and a value head on the pooled activations.
"""

from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Parameters(NamedTuple):
    """The weights of one network.

    In the shapes, C is the number of channels, L of residual layers, P = L // 2 of residual layers
    with pooling, F of planes including static ones, N of global numbers, K of kinds of stones, and
    H of hidden units.
    """

    first: Floats
    """(7, F, C)"""
    first_bias: Floats
    """(C,)"""
    numbers: Floats
    """(N, C)"""
    layers: Floats
    """(L, 7, C, C): layer, tap, input channel, output channel"""
    biases: Floats
    """(L, C)"""
    pooled: Floats
    """(P, 2 C, C): the inputs are the means, then the maxima"""
    policy: Floats
    """(C, K)"""
    hidden: Floats
    """(2 C, H)"""
    hidden_bias: Floats
    """(H,)"""
    value: Floats
    """(H,)"""
    value_bias: Floats
    """(1,)"""


def save_parameters(path: Path, parameters: Parameters) -> None:
    """Write the weights to a compressed NumPy file (npz) as float16."""
    with path.open("wb") as out:
        halves = {name: array.astype(np.float16) for name, array in parameters._asdict().items()}
        np.savez_compressed(out, **halves)


def load_parameters(file: Path | IO[bytes]) -> Parameters:
    with np.load(file) as stored:
        return Parameters(**{name: stored[name].astype("f4") for name in Parameters._fields})
