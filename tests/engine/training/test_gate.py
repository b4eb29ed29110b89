"""Matches of a candidate against the best."""

import io

import numpy as np
import pytest

import engine
from engine.training.gate import Contest, MatchGame, Score, play_pair, score_of
from tests.engine.neural.reference import random_parameters


def test_a_score_counts_what_the_candidate_won_in_either_seat() -> None:
    games = [MatchGame(0, 1, 1, ()), MatchGame(0, 2, 1, ()), MatchGame(1, 1, 0, ())]
    assert score_of(games) == Score(wins=1, draws=1, losses=1)
    assert score_of([*games, MatchGame(1, 2, 2, ())]).share == 0.625


@pytest.mark.parametrize(
    ("score", "elo"),
    [
        (Score(10, 0, 10), 0.0),
        (Score(), 0.0),
        (Score(0, 7, 0), 0.0),
        (Score(30, 0, 10), 185.2),
        (Score(10, 0, 30), -185.2),
        (Score(20, 0, 0), 645.1),
    ],
)
def test_elo_is_finite_and_correct(score: Score, elo: float) -> None:
    assert score.elo == pytest.approx(elo, abs=0.1)


def test_a_pair_is_one_opening_with_the_seats_changed_and_always_the_same() -> None:
    game = engine.game("bluestone", board="pent-3")
    file = io.BytesIO()
    np.savez(file, **random_parameters(game, layers=1, seed=1)._asdict())
    contest = Contest(game, file.getvalue(), None, nodes=20, most_random_turns=2)
    pairs = [play_pair(contest, pair, "1 1") for pair in range(4)]
    for pair, (one, other) in enumerate(pairs):
        assert (one.pair, one.seat, other.pair, other.seat) == (pair, 1, pair, 2)
        for each in (one, other):
            last = game.replay(each.turns)
            assert last.over
            assert (last.winner or 0) == each.winner
    assert play_pair(contest, 2, "1 1") == pairs[2]
    assert play_pair(contest, 2, "1 2") != pairs[2]
