"""Whether weights fit a game: the search itself reads them unchecked."""

import zipfile
from pathlib import Path

from engine.game import Game
from engine.neural.geometry import STATIC, TAPS
from engine.neural.network import Network, network_for
from engine.neural.parameters import Parameters, load_parameters
from engine.neural.shipped import shipped_network
from engine.neural.vectors import CHANNELS


class UnfitWeights(ValueError):
    """A file that holds no weights, or those of another game."""


def network_from(game: Game, file: Path | None) -> Network | None:
    """The network with the weights of `file`; without a file the one that comes with the engine, if
    there is any for this board.

    Raises UnfitWeights, which names the array at fault.
    """
    if file is None:
        return shipped_network(game)
    try:
        # NumPy leaves a file open that turns out to be broken.
        with file.open("rb") as stored:
            parameters = load_parameters(stored)
    except OSError as error:
        raise UnfitWeights(error.strerror or "it is no file of weights") from error
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise UnfitWeights("it is no file of weights") from error
    check(game, parameters)
    return network_for(game, parameters)


def check(game: Game, parameters: Parameters) -> None:
    """Raises UnfitWeights if an array has not the shape that this game needs."""
    for name, wanted in _shapes(game, parameters).items():
        found = getattr(parameters, name).shape
        if found != wanted:
            raise UnfitWeights(f"{name} has the shape {found}, and {game.name} needs {wanted}")


def _shapes(game: Game, parameters: Parameters) -> dict[str, tuple[int, ...]]:
    """As in `Parameters`; how many layers and hidden units there are is for the weights to say."""
    encoding = game.rules.encoding
    layers = parameters.layers.shape[0] if parameters.layers.ndim else 0
    units = parameters.value.shape[0] if parameters.value.ndim else 0
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
