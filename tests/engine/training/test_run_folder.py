"""The folder of a training."""

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.neural.parameters import load_parameters
from engine.training.errors import TrainingError
from engine.training.gate import MatchGame
from engine.training.records import PlayedGame, arrays_of
from engine.training.run_folder import RunFolder
from tests.engine.neural.reference import random_parameters

PAIR = (MatchGame(4, 1, 2, ("1-1", "2-1,2-2")), MatchGame(4, 2, 0, ("1-1",)))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "run")
    made.make()
    made.make()
    return made


def save(folder: RunFolder, generation: int, number: int, games: int) -> None:
    """Games that show by their winner, 1 or 2, whether their generation is odd."""
    game = PlayedGame((1, 2), (), 1 + generation % 2)
    folder.save_games(generation, number, arrays_of([game] * games, 3))


def test_the_latest_games_are_learnt_from_oldest_first(folder: RunFolder) -> None:
    for number in range(3):
        save(folder, 1, number, 10)
    save(folder, 2, 0, 10)
    assert folder.latest_games(15).winner.tolist() == [2] * 10 + [1] * 10
    assert len(folder.latest_games(1).winner) == 10
    assert len(folder.latest_games(10_000).winner) == 40
    assert len(folder.games_of(1).winner) == 30


def test_a_network_is_there_whole_and_may_become_the_best(folder: RunFolder) -> None:
    parameters = random_parameters(engine.game("bluestone", board="pent-3"), 1, seed=1)
    for generation, value in ((1, 0.5), (2, 1.5)):
        bias = np.array([value], np.float32)
        folder.save_net(generation, parameters._replace(value_bias=bias))
    for generation in (1, 2, 2, 1):
        folder.publish(generation)
        assert folder.best.read_bytes() == folder.weights(generation)
    assert load_parameters(folder.best).value_bias == 0.5
    assert not list(folder.best.parent.rglob("*.part"))


def test_games_of_a_match_come_back_by_pairs(folder: RunFolder) -> None:
    assert folder.match_games(1) == []
    folder.add_match_games(1, PAIR)
    folder.add_match_games(1, PAIR)
    assert folder.match_games(1) == [*PAIR, *PAIR]
    whole = folder.match(1).read_bytes()
    folder.match(1).write_bytes(whole[:-5])
    assert folder.match_games(1) == [*PAIR]


@pytest.mark.parametrize(
    "text", ["{\n", "[]\n", '{"games": [{}]}\n', '{"games": [{"turns": 1}]}\n']
)
def test_a_damaged_match_is_named(folder: RunFolder, text: str) -> None:
    folder.match(1).write_text(text)
    with pytest.raises(TrainingError, match=r"match-0001\.jsonl"):
        folder.match_games(1)


def test_damaged_games_are_named(folder: RunFolder) -> None:
    folder.games(1, 0).write_bytes(b"PK")
    with pytest.raises(TrainingError, match="games-0001-00000"):
        folder.latest_games(10)


def test_a_network_that_is_gone_is_named(folder: RunFolder) -> None:
    with pytest.raises(TrainingError, match="net-0003"):
        folder.weights(3)
