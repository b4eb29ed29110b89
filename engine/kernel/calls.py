"""The kernel as Python calls it: entries that are compiled for each game on first use.

Board and state records are structured scalars (`array[0]`), as in `engine.kernel.generic`; a call
costs about two microseconds.
"""

import numpy as np

from engine.kernel import generic as kernel
from engine.kernel.generic import Array, Record, compiled


@compiled
def start(board: Record, state: Record) -> None:
    """Set `state` to the initial position."""
    kernel.start(board, state)


@compiled
def legal_steps(board: Record, state: Record, out: Array) -> int:
    """The steps that may be played now."""
    return kernel.legal_steps(board, state, out)


@compiled
def try_step(board: Record, state: Record, step: int) -> bool:
    """Play a step if it is legal, and say whether it was."""
    if not kernel.is_legal_step(board, state, step):
        return False
    kernel.play_step(board, state, step)
    return True


@compiled
def steps_after(board: Record, state: Record, step: int, after: Record, out: Array) -> int:
    """Set `after` to the position after a legal step; list what may follow in the same turn."""
    kernel.copy_state(after, state)
    kernel.play_step(board, after, step)
    if after.step == 0:
        return 0
    return kernel.legal_steps(board, after, out)


@compiled
def outcome(board: Record, state: Record) -> int:
    """Who is ahead: 1, 2, or 0."""
    return kernel.outcome(board, state)


@compiled
def playouts(
    board: Record, origin: Record, state: Record, rng: Array, wins: Array, count: int
) -> None:
    """Play `count` random games from `origin` in `state`; count outcomes 0, 1, 2 in `wins`."""
    for _ in range(count):
        kernel.copy_state(state, origin)
        wins[kernel.playout(board, state, rng)] += 1


def random_source(seed: int) -> Array:
    """The `rng` array of `kernel.playout`, well mixed from any seed >= 0."""
    words = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    return np.maximum(words, np.uint64(1))
