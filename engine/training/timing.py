"""Measures the time of a network's evaluation, of a playout and of a step of the search."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from engine.game import Game, Position
from engine.kernel import calls
from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, compiled, copy_state, guided_playout
from engine.neural.evaluation import Activations, activations, judge
from engine.neural.network import Network
from engine.training.assessment import Assessor

MICROSECONDS: Final = 1e6
Clock = Callable[[], float]


class Round(NamedTuple):
    """Microseconds of one evaluation, of one playout, and of one step of the search.

    A step is a whole playout of the search, from the root and back, with the network or without it.
    """

    evaluation: float
    playout: float
    step_with: float
    step_without: float


@dataclass(frozen=True)
class Effort:
    """The repetitions of a round, for each position.

    With some dozens of positions a round takes about half a second.
    """

    repeats: int = 400
    steps: int = 600


USUAL_EFFORT: Final = Effort()


def measure_round(
    assessor: Assessor,
    positions: Sequence[Position],
    effort: Effort,
    seed: int,
    clock: Clock = time.thread_time,
) -> Round:
    """Measure the four times, one after the other.

    `clock` returns seconds. By default it counts the processor time of this thread, so other
    programs have little influence.
    """
    game, network = assessor.game, assessor.network
    states = np.array([position.record() for position in positions], game.rules.state_dtype)
    asked = effort.repeats * len(positions)
    return Round(
        evaluation=_evaluations(game, network, states, effort.repeats, clock) / asked,
        playout=_playouts(game, states, effort.repeats, seed, clock) / asked,
        step_with=_step(assessor, positions, effort, seed, clock, with_network=True),
        step_without=_step(assessor, positions, effort, seed, clock, with_network=False),
    )


def warm_up(assessor: Assessor, position: Position) -> None:
    """Compile all that `measure_round` measures."""
    measure_round(assessor, [position], Effort(1, 1), seed=1)


def _evaluations(game: Game, network: Network, states: Array, repeats: int, clock: Clock) -> float:
    work = activations(network, game.mechanics.n_steps)
    begun = clock()
    judge_all(game.record, states, network, work, repeats)
    return MICROSECONDS * (clock() - begun)


def _playouts(game: Game, states: Array, repeats: int, seed: int, clock: Clock) -> float:
    state, rng = game.mechanics.new_state(), calls.random_source(seed)
    begun = clock()
    play_all(game.record, states, state, rng, repeats)
    return MICROSECONDS * (clock() - begun)


def _step(
    assessor: Assessor,
    positions: Sequence[Position],
    effort: Effort,
    seed: int,
    clock: Clock,
    *,
    with_network: bool,
) -> float:
    seconds, done = 0.0, 0
    for position in positions:
        searcher = assessor.searcher(seed, with_network=with_network)
        searcher.move_to(position)
        begun = clock()
        done += searcher.grow(effort.steps)
        seconds += clock() - begun
    return MICROSECONDS * seconds / max(1, done)


@compiled
def judge_all(
    board: Record, states: Array, network: Network, work: Activations, repeats: int
) -> None:
    for _ in range(repeats):
        for place in range(states.shape[0]):
            judge(board, states[place], network, work)


@compiled
def play_all(board: Record, states: Array, state: Record, rng: Array, repeats: int) -> int:
    """Run the playouts; the sum of results keeps the compiler from removing any of them."""
    total = int64(0)
    for _ in range(repeats):
        for place in range(states.shape[0]):
            copy_state(state, states[place])
            total += guided_playout(board, state, rng)
    return total
