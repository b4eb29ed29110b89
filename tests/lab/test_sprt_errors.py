"""The simulations of sequential tests."""

import numpy as np
import pytest

from bot.tournaments.elo import expected_score
from bot.tournaments.sprt import Bounds
from tests.lab.sprt_errors import lead_of, measure, pairs
from tests.lab.synthetic import World


def test_pairs_score_what_logistic_elo_says() -> None:
    world = World(advantage=80)
    drawn = pairs(lead_of(100, world), 100_000, world, np.random.default_rng(1))
    assert drawn.mean() / 4 == pytest.approx(expected_score(100), abs=0.005)


def test_tests_are_seldom_wrong_and_longest_in_the_middle() -> None:
    found = measure(Bounds(0, 60), 300, 5_000, 1, World(), lambda _: None)
    assert [run.elo for run in found] == [0, 15, 30, 45, 60]
    first, *_, last = found
    assert first.wrong == first.accepted_h1 < 0.1
    assert last.wrong == last.accepted_h0 < 0.1
    assert found[2].wrong is None
    assert found[2].mean_pairs > max(first.mean_pairs, last.mean_pairs)


def test_tests_that_take_too_long_are_given_up() -> None:
    (first, *_) = measure(Bounds(0, 1), 10, 5, 1, World(), lambda _: None)
    assert (first.undecided, first.most_pairs) == (1, 5)
