"""The search as training uses it: with one thread, and with weights as bytes."""

import io
from functools import lru_cache

from engine.game import Game
from engine.neural.network import Network, network_for
from engine.neural.parameters import load_parameters
from engine.search.searcher import Searcher

MEGABYTES = 32


def searcher_for(game: Game, weights: bytes | None, seed: int) -> Searcher:
    """Return a searcher with the weights of a file of `engine.neural.parameters`, as bytes.

    Without weights, it searches by playouts alone.
    """
    network = None if weights is None else _network(game, weights)
    return Searcher(game, megabytes=MEGABYTES, threads=1, seed=seed, network=network)


@lru_cache(maxsize=16)  # two for each board of a training
def _network(game: Game, weights: bytes) -> Network:
    return network_for(game, load_parameters(io.BytesIO(weights)))
