"""Entry points from Python into the kernels. Numba compiles each one per game on first use.

Board and state records are structured scalars (`array[0]`), as in `engine.kernel.generic`. A call
takes about two microseconds.
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
    """Write the codes of the legal steps into `out` and return their number."""
    return kernel.legal_steps(board, state, out)


@compiled
def promising_steps(board: Record, state: Record, out: Array) -> int:
    """Write the codes of the steps that the search considers into `out`; return their number."""
    return kernel.promising_steps(board, state, out)


@compiled
def try_step(board: Record, state: Record, step: int) -> bool:
    """Play a step if it is legal; return whether it was."""
    if not kernel.is_legal_step(board, state, step):
        return False
    kernel.play_step(board, state, step)
    return True


@compiled
def steps_after(board: Record, state: Record, step: int, after: Record, out: Array) -> int:
    """Set `after` to the position after a legal step and list the next steps of the same turn.

    Returns:
        The number of codes written into `out`; 0 if the step ends the turn.
    """
    kernel.copy_state(after, state)
    kernel.play_step(board, after, step)
    if after.step == 0:
        return 0
    return kernel.legal_steps(board, after, out)


@compiled
def outcome(board: Record, state: Record) -> int:
    """Return the player who is ahead, 1 or 2, or 0 for a draw."""
    return kernel.outcome(board, state)


@compiled
def playouts(
    board: Record, origin: Record, state: Record, rng: Array, wins: Array, count: int
) -> None:
    """Play `count` random games from `origin`, with `state` as working memory.

    Each game adds 1 to the element of `wins` whose index is the outcome, 0, 1 or 2.
    """
    for _ in range(count):
        kernel.copy_state(state, origin)
        wins[kernel.playout(board, state, rng)] += 1


def random_source(seed: int) -> Array:
    """Return the `rng` array for `kernel.playout`, derived from a seed >= 0 by `SeedSequence`."""
    words = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    return np.maximum(words, np.uint64(1))
