"""Loads weights and checks that they fit a game, because the search reads them unchecked."""

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
from engine.neural.sizes import CHANNELS
from engine.training.errors import BROKEN_ARCHIVE

MOST_BYTES: Final = 1 << 24
"""Size limit of a file: hundreds of times the largest network."""
MOST_LAYERS: Final = 64
MOST_UNITS: Final = 1024


class UnfitWeights(ValueError):
    """The file has no weights, or those of another game."""


def network_from(game: Game, file: Path | None) -> Network | None:
    """Return the network with the weights of `file`.

    Without a file, it is the shipped network, None if there is none for this board. Raises
    UnfitWeights, which names the array with the error if it is one array.
    """
    if file is None:
        return shipped_network(game)
    return network_for(game, parameters_in(game, content_of(file)))


def content_of(file: Path) -> bytes:
    """Return the content of a file. Raises UnfitWeights if it is unreadable or too large."""
    try:
        with file.open("rb") as stored:
            content = stored.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnfitWeights(error.strerror or "it is unreadable") from error
    if len(content) > MOST_BYTES:
        raise UnfitWeights("it is not a file of weights: it is too large")
    return content


def parameters_in(game: Game, content: bytes) -> Parameters:
    """Return the weights of a file with this content. Raises UnfitWeights."""
    try:
        with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(content)) as archive:
            warnings.simplefilter("ignore")  # NumPy warns about headers of old or unknown versions
            # Shapes first: a wrong shape may need more memory than there is.
            _check(game, {name: _header(archive, name) for name in Parameters._fields})
            arrays = {name: _array(archive, name) for name in Parameters._fields}
    except UnfitWeights:
        raise
    except BROKEN_ARCHIVE as error:
        raise UnfitWeights("it is not a file of weights") from error
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise UnfitWeights(f"{name} has weights that are not numbers")
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
    """Raise UnfitWeights if an array does not have the shape that this game needs."""
    layers, units = (_length(headers[name]) for name in ("layers", "value"))
    for name, wanted in _shapes(game, layers, units).items():
        found, kind = headers[name]
        if found != wanted:
            raise UnfitWeights(f"{name} has the shape {found}, and {game.name} needs {wanted}")
        if kind != "f":
            raise UnfitWeights(f"{name} has no weights")
    for count, most, what in ((layers, MOST_LAYERS, "layers"), (units, MOST_UNITS, "hidden units")):
        if not 1 <= count <= most:
            raise UnfitWeights(f"it has {count} {what}, and a network has 1 to {most}")


def _length(header: _Header) -> int:
    return header.shape[0] if header.shape else 0


def _shapes(game: Game, layers: int, units: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of `Parameters` for this number of layers and hidden units."""
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
