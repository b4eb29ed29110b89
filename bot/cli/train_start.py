"""What a training of `bluestone train` begins with, from its options and its folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import engine
from bot.cli.games import chosen_game
from bot.errors import ConfigurationError, HostError

if TYPE_CHECKING:
    from engine.training.settings import Identity
    from engine.training.start import Start

LAYERS: Final = 4


def chosen_boards(name: str, boards: str, rules: str | None) -> list[engine.Game]:
    """The game on each of the boards, which are written with commas between them.

    Raises ConfigurationError for one that does not exist, or is named twice.
    """
    found = [chosen_game(name, board.strip(), rules) for board in boards.split(",")]
    if len(set(found)) < len(found):
        raise ConfigurationError(f"--board {boards}: a board is named twice")
    return found


def beginning(out: Path, game: engine.Game, name: str) -> "Start":
    """The weights that `--from` names, or the copy of them in the folder.

    Raises ConfigurationError where they do not fit, HostError where the folder cannot serve.
    """
    from engine.training.errors import TrainingError
    from engine.training.run_folder import RunFolder
    from engine.training.start import start_from
    from engine.training.weights import UnfitWeights

    try:
        return start_from(RunFolder(out), game, name)
    except UnfitWeights as error:
        raise ConfigurationError(f"--from {name}: {error}") from error
    except TrainingError as error:
        raise HostError(str(error)) from error


def identity_of(
    games: Sequence[engine.Game], seed: int, layers: int | None, start: "Start | None"
) -> "Identity":
    """What the folder is for: one game on these boards.

    Raises ConfigurationError for layers that `start` does not have.
    """
    from engine.training.settings import Identity

    if start is not None and layers not in (None, start.layers):
        raise ConfigurationError(f"--layers {layers}: the network of --from has {start.layers}")
    game = games[0]
    return Identity(
        game.name,
        ",".join(each.board.name for each in games),
        seed,
        layers=start.layers if start else layers or LAYERS,
        rules=game.rule_set,
        start=start.name if start else None,
    )
