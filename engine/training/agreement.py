"""Compares a network's output in the search, from its file, with its output in training.

They can differ: the file has 16 bits per weight, and the search has its own code to evaluate
networks.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Game
from engine.kernel import generic as kernel
from engine.kernel.bits import int64
from engine.kernel.generic import Record, compiled, jitable
from engine.neural.evaluation import Activations, activations, judge
from engine.neural.network import Network, network_for
from engine.neural.parameters import load_parameters
from engine.training.records import GameArrays
from engine.training.samples import Samples

POSITIONS: Final = 300
"""Positions compared after a generation, on all its boards together."""
WORST_VALUE: Final = 0.01
"""The largest difference allowed between the chances of the player to move."""
WORST_LOGIT: Final = 0.15
"""The largest difference allowed between the logits of a placement, in nats. It is 5 % of the range
in which logits count for the search, `engine.search.tuning.Tuning.prior_range`. Logits become less
exact as training proceeds, because their range grows.
"""

Floats = NDArray[np.float32]
Judge = Callable[[Game, NDArray[np.uint8], Floats], tuple[Floats, Floats]]
"""A trained network as a function. It takes `Samples.codes` and `Samples.numbers` of some rows of a
board. It returns the policy, shape (rows, cells, kinds), and the chances, shape (rows,)."""


class Agreement(NamedTuple):
    """The largest differences in any of `positions` positions, of chances and of logits."""

    positions: int
    value: float
    logit: float

    @property
    def is_close(self) -> bool:
        """Whether both differences are allowed; False if either is NaN."""
        return self.value <= WORST_VALUE and self.logit <= WORST_LOGIT

    def __str__(self) -> str:
        return (
            f"{self.positions} positions: values within {self.value:.4f}, logits {self.logit:.4f}"
        )


def agreement(
    game: Game,
    file: Path,
    games: GameArrays,
    samples: Samples,
    trained: Judge,
    most: int = POSITIONS,
) -> Agreement:
    """Compare the network in `file` with the `trained` one on at most `most` positions.

    The positions are spread evenly over `samples`, which must be those of `games`.
    """
    count = min(most, len(samples.result))
    rows = np.unique(np.linspace(0, len(samples.result) - 1, count).astype(np.int64))
    logits, expected = heard_by_search(game, network_for(game, load_parameters(file)), games, rows)
    policy, chances = trained(game, samples.codes[rows], samples.numbers[rows])
    turned = samples.turned[rows].astype(bool)
    policy = np.where(turned[:, None, None], policy[:, :, ::-1], policy)
    return Agreement(
        len(rows),
        value=float(np.abs(expected - chances).max()),
        logit=float(np.abs(logits - policy.reshape(logits.shape)).max()),
    )


def worst(found: Sequence[Agreement]) -> Agreement:
    """Return the largest differences of all; NaN if one is NaN."""
    return Agreement(
        sum(each.positions for each in found),
        value=float(np.max([each.value for each in found])),
        logit=float(np.max([each.logit for each in found])),
    )


class Heard(NamedTuple):
    """The `rows` to evaluate, ascending, and the results, shapes (rows, n_steps) and (rows,)."""

    rows: NDArray[np.int64]
    logits: Floats
    expected: Floats


def heard_by_search(
    game: Game, network: Network, games: GameArrays, rows: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Evaluate these rows by the code of the search.

    Returns the logits of all placements, shape (rows, n_steps), and the chances, shape (rows,).
    """
    n_steps = game.mechanics.n_steps
    heard = Heard(rows, np.zeros((len(rows), n_steps), "f4"), np.zeros(len(rows), "f4"))
    state = game.mechanics.new_state()
    _hear(game.record, state, games, network, activations(network, n_steps), heard)
    return heard.logits, heard.expected


@compiled
def _hear(
    board: Record,
    state: Record,
    games: GameArrays,
    network: Network,
    work: Activations,
    heard: Heard,
) -> None:
    for place in range(heard.rows.shape[0]):
        _go_to(board, state, games, int64(heard.rows[place]))
        judge(board, state, network, work)
        heard.expected[place] = work.expected[0]
        heard.logits[place, :] = work.logits


@jitable
def _go_to(board: Record, state: Record, games: GameArrays, row: int) -> None:
    """Set `state` to the position of a row, by replaying its game."""
    game = np.searchsorted(games.row_start, row, side="right") - 1
    kernel.start(board, state)
    begin = games.step_start[game]
    for at in range(begin, begin + games.row_at[row]):
        kernel.play_step(board, state, int64(games.steps[at]))
