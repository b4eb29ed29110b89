"""Weights from a file: whether they fit a game, for the search itself reads them unchecked."""

import io
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from engine.game import Game
from engine.neural.geometry import STATIC, TAPS
from engine.neural.network import Network, network_for
from engine.neural.parameters import Parameters
from engine.neural.shipped import shipped_network
from engine.neural.vectors import CHANNELS
from engine.training.errors import BROKEN_ARCHIVE

MOST_BYTES: Final = 1 << 24
"""Hundreds of times what the largest network takes."""
MOST_LAYERS: Final = 64
MOST_UNITS: Final = 1024


class UnfitWeights(ValueError):
    """A file that holds no weights, or those of another game."""


def network_from(game: Game, file: Path | None) -> Network | None:
    """The network with the weights of `file`; without a file the one that comes with the engine, if
    there is any for this board.

    Raises UnfitWeights, which names the array at fault.
    """
    if file is None:
        return shipped_network(game)
    return network_for(game, parameters_in(game, content_of(file)))


def content_of(file: Path) -> bytes:
    """Raises UnfitWeights where it cannot be read, or is larger than weights are."""
    try:
        with file.open("rb") as stored:
            content = stored.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnfitWeights(error.strerror or "it cannot be read") from error
    if len(content) > MOST_BYTES:
        raise UnfitWeights("it is no file of weights: it is too large")
    return content


def parameters_in(game: Game, content: bytes) -> Parameters:
    """The weights of a file with this content. Raises UnfitWeights."""
    try:
        with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(content)) as archive:
            warnings.simplefilter("ignore")  # of NumPy, about headers of old or of no versions
            # Shapes first: what is wrong in them may ask for more memory than there is.
            _check(game, {name: _header(archive, name) for name in Parameters._fields})
            arrays = {name: _array(archive, name) for name in Parameters._fields}
    except UnfitWeights:
        raise
    except BROKEN_ARCHIVE as error:
        raise UnfitWeights("it is no file of weights") from error
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise UnfitWeights(f"{name} has weights that are no numbers")
    return Parameters(**arrays)


class _Header(NamedTuple):
    shape: tuple[int, ...]
    kind: str
    """`f` for floating point."""


def _header(archive: zipfile.ZipFile, name: str) -> _Header:
    with archive.open(f"{name}.npy") as stored:
        version = npy.read_magic(stored)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(stored)
        return _Header(shape, dtype.kind)


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[np.float32]:
    with archive.open(f"{name}.npy") as stored, np.errstate(over="ignore"):
        array: NDArray[np.float32] = npy.read_array(stored, allow_pickle=False).astype(np.float32)
        return array


def _check(game: Game, headers: Mapping[str, _Header]) -> None:
    """Raises UnfitWeights if an array has not the shape that this game needs."""
    layers, units = (_length(headers[name]) for name in ("layers", "value"))
    for name, wanted in _shapes(game, layers, units).items():
        found, kind = headers[name]
        if found != wanted:
            raise UnfitWeights(f"{name} has the shape {found}, and {game.name} needs {wanted}")
        if kind != "f":
            raise UnfitWeights(f"{name} holds no weights")
    for count, most, what in ((layers, MOST_LAYERS, "layers"), (units, MOST_UNITS, "hidden units")):
        if not 1 <= count <= most:
            raise UnfitWeights(f"it has {count} {what}, and a network has 1 to {most}")


def _length(header: _Header) -> int:
    return header.shape[0] if header.shape else 0


def _shapes(game: Game, layers: int, units: int) -> dict[str, tuple[int, ...]]:
    """As in `Parameters`; how many layers and hidden units there are is for the weights to say."""
    encoding = game.rules.encoding
    return {
        "first": (TAPS, encoding.planes.shape[1] + STATIC, CHANNELS),
        "first_bias": (CHANNELS,),
        "numbers": (encoding.numbers, CHANNELS),
        "layers": (layers, TAPS, CHANNELS, CHANNELS),
        "biases": (layers, CHANNELS),
        "pooled": (layers // 2, 2 * CHANNELS, CHANNELS),
        "policy": (CHANNELS, game.kinds),
        "hidden": (2 * CHANNELS, units),
        "hidden_bias": (units,),
        "value": (units,),
        "value_bias": (1,),
    }
