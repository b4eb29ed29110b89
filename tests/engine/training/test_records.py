"""Games as arrays and in files."""

from pathlib import Path

import numpy as np
import pytest

from engine.training.records import (
    SearchRow,
    TrainingGame,
    arrays_of,
    joined,
    load_board_and_games,
    load_games,
    save_games,
    turns_of,
)
from tests.engine.training.small import same, some_games

ONE = TrainingGame(
    (3, 4, 5), (SearchRow(0, 0.5, None), SearchRow(1, 0.25, np.array([0, 7], np.int32))), 1
)
TWO = TrainingGame((1,), (), 0)
THREE = TrainingGame((2, 0), (SearchRow(1, 1.0, np.array([70_000, 1], np.int32)),), 2)


def test_games_lie_side_by_side() -> None:
    games = arrays_of([ONE, TWO, THREE], n_steps=2)
    assert games.steps.tolist() == [3, 4, 5, 1, 2, 0]
    assert games.step_start.tolist() == [0, 3, 4, 6]
    assert games.row_start.tolist() == [0, 2, 2, 3]
    assert games.row_policy.tolist() == [-1, 0, 1]
    assert games.winner.tolist() == [1, 0, 2]


def test_more_visits_than_sixteen_bits_hold_are_cut() -> None:
    assert arrays_of([THREE], n_steps=2).visits.tolist() == [[65535, 1]]


def test_joined_is_as_if_they_had_been_together() -> None:
    parts = [arrays_of([ONE], 2), arrays_of([], 2), arrays_of([TWO, THREE], 2)]
    assert same(joined(parts), arrays_of([ONE, TWO, THREE], 2))


def test_a_file_gives_back_what_it_was_given(tmp_path: Path) -> None:
    file = tmp_path / "games-0001.npz"
    save_games(file, arrays_of([ONE, THREE], 2), "pent-3")
    assert same(load_games(file), arrays_of([ONE, THREE], 2))
    assert load_board_and_games(file)[0] == "pent-3"


def test_an_old_file_names_no_board(tmp_path: Path) -> None:
    file = tmp_path / "games-0001.npz"
    np.savez(file, **arrays_of([ONE], 2)._asdict())
    board, games = load_board_and_games(file)
    assert board is None
    assert same(games, arrays_of([ONE], 2))


def test_illegal_steps_are_not_turns() -> None:
    game, games = some_games(1)
    games.steps[1] = games.steps[0]
    with pytest.raises(ValueError, match="not legal"):
        turns_of(game, games, 0)
