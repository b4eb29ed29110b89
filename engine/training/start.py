"""The weights with which a training begins, if it begins with any."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.game import Game
from engine.neural.parameters import Parameters
from engine.neural.shipped import shipped_file
from engine.training.errors import TrainingError
from engine.training.journal import Began, read_entries
from engine.training.run_folder import RunFolder
from engine.training.weights import UnfitWeights, content_of, parameters_in

SHIPPED: Final = "shipped"
"""The name of the network that is shipped with the engine."""


@dataclass(frozen=True)
class Start:
    """Weights: their `name` as given by the user, the `content` of the file, and the arrays."""

    name: str
    content: bytes
    parameters: Parameters

    @property
    def layers(self) -> int:
        return len(self.parameters.layers)


def start_from(folder: RunFolder, game: Game, name: str) -> Start:
    """Return the weights of the file `name`, or the shipped ones of this board for `SHIPPED`.

    If the training in the folder began with that name, they are read from its own copy, because the
    file may have changed since. Raises UnfitWeights, and TrainingError for an unusable folder.
    """
    match read_entries(folder.log):
        case [Began(start=begun), *_] if begun == name:
            return Start(name, folder.weights(0), kept_parameters(folder, game, 0))
    content = _shipped(game) if name == SHIPPED else content_of(Path(name))
    return Start(name, content, parameters_in(game, content))


def kept_parameters(folder: RunFolder, game: Game, generation: int) -> Parameters:
    """Return the weights of that generation. TrainingError if the file is damaged or missing."""
    try:
        return parameters_in(game, folder.weights(generation))
    except UnfitWeights as error:
        raise TrainingError(f"{folder.net(generation)}: {error}") from error


def _shipped(game: Game) -> bytes:
    file = shipped_file(game.name, game.board.name)
    if file is None:
        raise UnfitWeights(f"the engine has no network for {game.name} on {game.board.name}")
    return file.read_bytes()
