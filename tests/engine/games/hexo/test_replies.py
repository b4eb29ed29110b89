"""Forced steps and what playouts do with them, by hand."""

import numpy as np
import pytest

import engine
from engine.kernel import calls
from engine.kernel.generic import WIN
from tests.engine.kernel.test_generic import finish

pytestmark = pytest.mark.uncompiled

FOUR = "0:0 0:5,1:5 1:0,2:0 0:7,1:7 3:0,-6:0"
"""Player 1 has 0:0 to 3:0 and an open line; player 2 is to move."""


def played(turns: str) -> engine.Position:
    return engine.game("hexo").replay(turns.split())


def promising(position: engine.Position, *chosen: str) -> set[str]:
    """The steps that the search considers, after the stones `chosen`."""
    mechanics, record = position.game.mechanics, position.record()
    for step in chosen:
        (code,) = position.frame.steps_of(step) or ()
        assert mechanics.try_step(record, code)
    return {position.frame.step_name(step) for step in mechanics.promising_steps(record)}


def test_only_the_origin_may_begin() -> None:
    assert promising(played("")) == {"0:0"}


def test_quiet_positions_have_the_cells_within_two() -> None:
    assert len(promising(played("0:0"))) == 18
    assert len(promising(played("0:0"), "8:0")) == 36


def test_an_open_four_is_answered_by_one_of_its_covers() -> None:
    """Windows -2..3, -1..4 and 0..5: each answer leaves at most one cell that covers the rest."""
    assert promising(played(FOUR)) == {"-1:0", "-2:0", "4:0", "5:0"}
    assert promising(played(FOUR), "-1:0") == {"4:0", "5:0"}
    assert promising(played(FOUR), "-2:0") == {"4:0"}


def test_a_threat_that_one_stone_covers_leaves_the_other_free() -> None:
    position = played(FOUR).play("-1:0,9:0").play("-6:2,-6:5")
    assert promising(position) == {"4:0", "5:0"}
    assert len(promising(position, "5:0")) > 30


def test_six_are_completed_at_once() -> None:
    position = played(FOUR).play("9:5,9:6")
    assert promising(position) == {"-1:0", "-2:0", "4:0", "5:0"}
    assert promising(position, "5:0") == {"4:0"}


def test_five_are_completed_by_the_first_stone() -> None:
    position = played("0:0 0:3,1:3 1:0,2:0 0:4,1:4 3:0,4:0 5:3,5:4")
    assert promising(position) == {"-1:0", "5:0"}


def test_playouts_take_wins_and_lose_what_cannot_be_covered() -> None:
    rng = calls.random_source(1)
    won = played(FOUR).play("9:5,9:6")
    lost = played("0:0 0:5,1:5 1:0,0:1 0:7,1:7 2:0,0:2 4:5,4:7 3:0,0:3")
    for position, expected in ((won, WIN), (lost, WIN)):
        for _ in range(20):
            states = np.zeros(2, position.game.rules.state_dtype)
            states[0] = position.record()
            assert finish(position.game.record, states, rng, True) == expected
