"""How fast random games are played."""

from time import perf_counter
from typing import Final

from engine.game import Game

BATCH: Final = 200
"""Playouts between two looks at the clock: a few milliseconds."""


def benchmark(game: Game, seconds: float = 3.0, seed: int = 1) -> float:
    """Uniformly random playouts a second, from the start of `game`, on one thread.

    Compilation is not counted.
    """
    playouts = game.mechanics.playouts(seed)
    playouts(1)
    played = 0
    begun = perf_counter()
    elapsed = 0.0
    while elapsed < seconds:
        playouts(BATCH)
        played += BATCH
        elapsed = perf_counter() - begun
    return played / elapsed
