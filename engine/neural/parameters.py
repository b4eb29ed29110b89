"""The weights of a network as they were trained, and their files.

The network: a convolution over the planes, residual convolutions over activations, and what is
pooled over the board (mean and maximum) added back to all cells by every second of them; then a
number for each placement, and the value from what is pooled. As in KataGo (Wu, 2019), small.
"""

from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Parameters(NamedTuple):
    """Shapes: C channels, L residual layers, P = L // 2 of them with pooling, F planes and static
    planes, N numbers, K kinds of stones, H hidden units.
    """

    first: Floats
    """(7, F, C)"""
    first_bias: Floats
    """(C,)"""
    numbers: Floats
    """(N, C)"""
    layers: Floats
    """(L, 7, C, C): tap, from, to"""
    biases: Floats
    """(L, C)"""
    pooled: Floats
    """(P, 2 C, C): means, then maxima"""
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
    """Write the weights with 16 bits each."""
    with path.open("wb") as out:
        halves = {name: array.astype(np.float16) for name, array in parameters._asdict().items()}
        np.savez_compressed(out, **halves)


def load_parameters(file: Path | IO[bytes]) -> Parameters:
    with np.load(file) as stored:
        return Parameters(**{name: stored[name].astype("f4") for name in Parameters._fields})
