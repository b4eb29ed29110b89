"""The networks that come with the engine."""

from functools import cache
from importlib import resources
from typing import Final

from engine.game import Game
from engine.neural import weights
from engine.neural.network import Network, network_for
from engine.neural.parameters import load_parameters

LEARNT_RULES: Final = ("official", "abstractplay")


@cache
def shipped_network(game: Game) -> Network | None:
    """The network for this game and board; None where there is none, and playouts have to do.

    Networks learnt the rules as they are usually played: other options and the rules of Ludii are
    not among them.
    """
    if game.options or game.rule_set not in LEARNT_RULES:
        return None
    file = resources.files(weights).joinpath(f"{game.name}-{game.board.name}.npz")
    if not file.is_file():
        return None
    with file.open("rb") as stored:
        return network_for(game, load_parameters(stored))
