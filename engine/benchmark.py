"""Measures how many random games per second the engine plays."""

from time import perf_counter
from typing import Final

from engine.game import Game

BATCH: Final = 200
"""Playouts between two readings of the clock; a batch takes a few milliseconds."""


def benchmark(game: Game, seconds: float = 3.0, seed: int = 1) -> float:
    """Measure how many random games per second the engine plays, on one thread.

    Args:
        game: The game. Each playout starts at its first turn.
        seconds: How long to measure, in seconds. Compilation comes before that.
        seed: The seed of the random numbers.

    Returns:
        Playouts per second.
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
