"""Whether a network that is not what it was where it was trained is found out."""

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.neural.parameters import save_parameters
from engine.training.agreement import Agreement, agreement
from engine.training.samples import samples_of
from engine.training.self_play_worker import PlayTask, self_play
from engine.training.settings import Identity
from tests.engine.neural.reference import random_parameters
from tests.engine.training.fakes import judge_of
from tests.engine.training.small import BRIEF

BOARDS = [("bluestone", "pent-3"), ("blooms", "hexhex-4"), ("stargazers", "stars-39")]


def compared(name: str, board: str, file: Path, change: float, seen: float = 1.0) -> Agreement:
    """A network in its file, against itself with another value."""
    game = engine.game(name, board=board)
    parameters = random_parameters(game, layers=1, seed=4)
    save_parameters(file, parameters._replace(value_bias=parameters.value_bias + change))
    games = self_play(PlayTask(Identity(name, board, 1, 1), 1, 0, 1, None, BRIEF))
    trained = parameters._replace(policy=parameters.policy * np.float32(seen))
    return agreement(game, file, games, samples_of(game, games), judge_of(trained))


@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_a_file_of_16_bits_gives_nearly_the_same_output(
    name: str, board: str, tmp_path: Path
) -> None:
    found = compared(name, board, tmp_path / "net.npz", 0.0)
    assert found.is_close
    assert found.positions > 5
    assert 0 < found.value < 0.005


def test_another_value_is_found_out(tmp_path: Path) -> None:
    found = compared("bluestone", "pent-3", tmp_path / "net.npz", 0.5)
    assert not found.is_close
    assert found.logit < 0.02


def test_another_policy_is_found_out(tmp_path: Path) -> None:
    assert not compared("bluestone", "pent-3", tmp_path / "net.npz", 0.0, seen=1.5).is_close


def test_weights_that_16_bits_do_not_hold_are_found_out(tmp_path: Path) -> None:
    found = compared("bluestone", "pent-3", tmp_path / "net.npz", float("nan"))
    assert not found.is_close
