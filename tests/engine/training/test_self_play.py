"""Games of the search against itself."""

import random

import numpy as np
import pytest

import engine
from engine.contract import Candidate
from engine.training.records import TrainingGame, arrays_of, turns_of
from engine.training.self_play import draw_candidate, play_game, searcher_for
from engine.training.self_play_worker import self_play
from engine.training.settings import SelfPlay
from tests.engine.training.small import BRIEF, same, some_games, task

BOARDS = [("bluestone", "pent-4"), ("blooms", "hexhex-4"), ("stargazers", "stars-39")]


def played(name: str, board: str, settings: SelfPlay, seed: int = 5) -> TrainingGame:
    game = engine.game(name, board=board)
    return play_game(game, searcher_for(game, None, seed), settings, random.Random(seed))


@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_a_game_is_legal_and_ends_as_it_says(name: str, board: str) -> None:
    game = engine.game(name, board=board)
    one = played(name, board, BRIEF)
    turns = turns_of(game, arrays_of([one], len(game.step_names)), 0)
    last = game.replay(turns)
    assert last.over
    assert (last.winner or 0) == one.winner


@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_a_row_has_visits_of_what_may_be_placed(name: str, board: str) -> None:
    game = engine.game(name, board=board)
    one = played(name, board, BRIEF)
    state, before = game.mechanics.start(), dict[int, set[int]]()
    for at, step in enumerate(one.steps):
        before[at] = set(game.mechanics.steps(state))
        assert game.mechanics.try_step(state, step)
    looked = [row for row in one.rows if row.visits is not None]
    assert looked
    for row in looked:
        assert row.visits is not None
        assert set(np.flatnonzero(row.visits).tolist()) <= before[row.at]
        assert row.visits.sum() > 0


def test_turns_that_are_only_played_have_no_policy() -> None:
    rows = played("bluestone", "pent-4", SelfPlay(full=40, quick=15, full_share=0)).rows
    assert rows
    assert all(row.visits is None for row in rows)
    assert all(0 <= row.value <= 1 for row in rows)


def test_a_task_plays_the_same_games_whenever_it_is_played() -> None:
    assert same(self_play(task()), self_play(task()))
    assert not same(self_play(task()), self_play(task(number=1)))


def test_the_games_of_a_task_differ() -> None:
    game, games = some_games(4)
    assert len({turns_of(game, games, number) for number in range(4)}) == 4


def test_a_proved_win_is_never_drawn_away() -> None:
    win = Candidate("a", 1.0, 1, ("a",), result=1.0)
    other = Candidate("b", 0.5, 99, ("b",))
    rng = np.random.default_rng(1)
    assert all(draw_candidate((win, other), 1.0, rng) is win for _ in range(20))
    drawn = [draw_candidate((other, win), 1.0, rng) for _ in range(300)]
    assert 0 < drawn.count(win) < 30
