"""The folder of a training."""

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.neural.parameters import load_parameters
from engine.training.errors import TrainingError
from engine.training.gate import MatchGame
from engine.training.records import TrainingGame, arrays_of
from engine.training.run_folder import RunFolder
from tests.engine.neural.reference import random_parameters

PAIR = (MatchGame(4, 1, 2, ("1-1", "2-1,2-2")), MatchGame(4, 2, 0, ("1-1",)))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "run")
    made.make()
    made.make()
    return made


def test_files_of_games_stand_in_the_order_of_time(folder: RunFolder) -> None:
    games = arrays_of([TrainingGame((1, 2), (), 1)], 3)
    for generation, number in ((2, 0), (1, 12), (1, 3)):
        folder.save_games(generation, number, games, "pent-3")
    assert folder.game_files() == [folder.games(1, 3), folder.games(1, 12), folder.games(2, 0)]
    with pytest.raises(TrainingError, match=r"log\.jsonl: it has no entry"):
        folder.check_unused()
    assert folder.game_files(1) == [folder.games(1, 3), folder.games(1, 12)]


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
    "text",
    [
        "{\n",
        "[]\n",
        '{"games": [{}]}\n',
        '{"games": [{"turns": 1}]}\n',
        '{"games": [{"pair": 1, "seat": "1", "winner": 2, "turns": []}]}\n',
        "\udcff\n",
    ],
)
def test_a_damaged_match_is_named(folder: RunFolder, text: str) -> None:
    folder.match(1).write_text(text, errors="surrogateescape")
    with pytest.raises(TrainingError, match=r"match-0001\.jsonl"):
        folder.match_games(1)


def test_a_network_that_is_gone_is_named(folder: RunFolder) -> None:
    with pytest.raises(TrainingError, match="net-0003"):
        folder.weights(3)
