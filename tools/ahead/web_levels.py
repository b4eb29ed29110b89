"""The levels of play and the parameters of the search, for hosts in JavaScript."""

from typing import Any, Final

import engine
from engine.players.levels import LEVEL_WORDS, level
from engine.players.search import tuning_with
from engine.search.tuning import usual_tuning

LEVELS: Final = range(1, len(LEVEL_WORDS) + 1)


def board_levels(name: str, board: str) -> list[dict[str, Any]]:
    """Return the levels on a board, the lowest first.

    `playouts` and `judged` are playouts per turn, without and with a network; null for no bound.
    A level whose `judged` is 0 plays without the network.
    """
    game = engine.game(name, board=board)
    levels = [level(number, game) for number in LEVELS]
    return [
        {
            "playouts": each.bound(game, with_network=False),
            "judged": each.judged,
            "coarseness": each.coarseness,
        }
        for each in levels
    ]


def tunings(name: str) -> dict[str, dict[str, Any]]:
    """Return the parameters without and with a network, and those of coarse judgement."""
    mechanics = engine.game(name).mechanics
    return {
        "playouts": usual_tuning(mechanics, with_network=False)._asdict(),
        "network": usual_tuning(mechanics, with_network=True)._asdict(),
        "coarse": tuning_with(mechanics, None, knowledge=True, proofs=False)._asdict(),
    }
