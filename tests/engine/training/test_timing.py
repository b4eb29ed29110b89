"""Times of a network and of the search: what is divided by what."""

import pytest

import engine
from engine.neural.network import network_for
from engine.training.assessment import Assessor
from engine.training.timing import Effort, measure_round
from tests.engine.neural.reference import random_parameters

GAME = engine.game("bluestone", board="pent-4")


class Ticking:
    """A clock on which every look costs a second."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        self._now += 1.0
        return self._now


def test_times_are_microseconds_of_one() -> None:
    assessor = Assessor(GAME, network_for(GAME, random_parameters(GAME, layers=2, seed=1)))
    positions = [GAME.start(), engine.play_out(GAME).game.start()]
    found = measure_round(assessor, positions, Effort(repeats=5, steps=20), 1, Ticking())
    assert found.evaluation == pytest.approx(1e6 / (2 * 5))
    assert found.playout == pytest.approx(1e6 / (2 * 5))
    assert found.step_with == pytest.approx(1e6 / 20)
    assert found.step_without == pytest.approx(1e6 / 20)


def test_a_solved_position_counts_as_many_steps_as_were_made() -> None:
    assessor = Assessor(GAME, network_for(GAME, random_parameters(GAME, layers=2, seed=1)))
    last = engine.play_out(GAME, seed=3)
    before = GAME.replay(last.turns[:-1])
    found = measure_round(assessor, [before], Effort(repeats=1, steps=100_000), 1, Ticking())
    assert 1e6 / 100_000 < found.step_without < 1e6
