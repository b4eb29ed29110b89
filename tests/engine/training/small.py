"""Games that are over soon, played with little thought."""

import io

import numpy as np

from engine.game import Game
from engine.neural.parameters import Parameters
from engine.training.records import GameArrays
from engine.training.self_play_worker import PlayTask, game_of, self_play
from engine.training.settings import Identity, SelfPlay
from tests.engine.neural.reference import random_parameters

BRIEF = SelfPlay(full=40, quick=15, full_share=0.5, fewest_visits=2)
IDENTITY = Identity("bluestone", "pent-3", seed=1, layers=2)


def task(number: int = 0, games: int = 3, weights: bytes | None = None) -> PlayTask:
    return PlayTask(IDENTITY, 1, number, games, weights, BRIEF)


def same(one: GameArrays, other: GameArrays) -> bool:
    """Whether two have the same content in the same types."""
    arrays = other._asdict()
    return all(
        np.array_equal(array, arrays[name]) and array.dtype == arrays[name].dtype
        for name, array in one._asdict().items()
    )


def some_games(games: int = 3) -> tuple[Game, GameArrays]:
    return game_of(IDENTITY), self_play(task(games=games))


def weights(seed: int, layers: int = IDENTITY.layers) -> Parameters:
    """Random ones for the game of `IDENTITY`."""
    return random_parameters(game_of(IDENTITY), layers, seed)


def file_of(parameters: Parameters) -> bytes:
    """The weights as a file has them."""
    file = io.BytesIO()
    np.savez_compressed(file, **parameters._asdict())
    return file.getvalue()
