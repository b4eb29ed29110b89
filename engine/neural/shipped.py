"""The networks that come with the engine."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

from engine.game import Game
from engine.neural import weights
from engine.neural.network import Network, network_for
from engine.neural.parameters import load_parameters

LEARNT_RULES: Final = ("official", "abstractplay")
OF_A_FAMILY: Final[Mapping[tuple[str, str], str]] = MappingProxyType({})
"""Which network that learnt boards of several sizes serves a game and a board that has none of its
own: `("bluestone", "pent-5"): "bluestone-pent.npz"`. Only boards on which a match showed the search
to be no worse with it.
"""


@cache
def shipped_network(game: Game) -> Network | None:
    """The network for this game and board; None where there is none, and playouts have to do.

    Networks learnt the rules as they are usually played: other options and the rules of Ludii are
    not among them.
    """
    if game.options or game.rule_set not in LEARNT_RULES:
        return None
    file = shipped_file(game.name, game.board.name)
    if file is None:
        return None
    with file.open("rb") as stored:
        return network_for(game, load_parameters(stored))


def shipped_file(
    game: str,
    board: str,
    folder: Traversable | None = None,
    of_a_family: Mapping[tuple[str, str], str] = OF_A_FAMILY,
) -> Traversable | None:
    """The weights for a board: its own, else those of its family where they serve it, else None."""
    place = folder or resources.files(weights)
    own = place.joinpath(f"{game}-{board}.npz")
    if own.is_file():
        return own
    family = of_a_family.get((game, board))
    return None if family is None else place.joinpath(family)
