"""The networks that ship with the engine."""

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
SERVED: Final[Mapping[tuple[str, str], tuple[str, ...]]] = MappingProxyType(
    {
        ("bluestone", "pent-6"): (
            *("pent-4", "pent-5", "pent-7", "pent-8", "pent-9", "pent-10"),
            *("limping-7", "hexhex-7"),
        ),
        ("blooms", "hexhex-5"): tuple(f"hexhex-{size}" for size in (4, 6, 7, 8, 9, 10)),
        ("stargazers", "stars-39"): ("stars-63", "stars-111"),
    }
)
"""Boards without a network of their own, by the game and board whose network they use.

A convolution reads the same neighbours on boards of every size. In matches on the smallest, the
usual and the largest of these boards, the search was stronger with the network than without it
(docs/performance.md).
"""


@cache
def shipped_network(game: Game) -> Network | None:
    """Return the network for a game; None if there is none, so that the search uses playouts.

    The networks were trained on the default options and on the rule sets of LEARNT_RULES only.
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
    served: Mapping[tuple[str, str], tuple[str, ...]] = SERVED,
) -> Traversable | None:
    """Return the file of the weights for a board: its own, else the one in `served`, else None.

    Args:
        game: The name of the game.
        board: The name of the board.
        folder: The folder to look in; None for the weights that ship with the engine.
        served: Boards that use the network of another board, as in `SERVED`.
    """
    place = folder or resources.files(weights)
    own = place.joinpath(f"{game}-{board}.npz")
    if own.is_file():
        return own
    for (player, learnt), boards in served.items():
        if player == game and board in boards:
            return place.joinpath(f"{game}-{learnt}.npz")
    return None
