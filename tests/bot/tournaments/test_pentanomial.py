"""Pairs of games as the unit."""

import math

import pytest

from bot.tournaments.elo import elo_of_score, expected_score
from bot.tournaments.outcomes import Outcome, outcomes
from bot.tournaments.pentanomial import Pentanomial, elo_difference, pentanomial, pentanomials
from tests.bot.tournaments.event_making import Book


def test_pairs_and_what_has_no_partner_are_counted_apart() -> None:
    book = Book("a b c")
    book.play(1, "a", "10" + "11" + "==" + "01" + "1=" + "=", "b")
    counts = pentanomial(outcomes(book.tournament), "a", "b")
    assert counts == Pentanomial((1, 0, 2, 1, 1), (0, 1, 0))
    assert (counts.games, counts.points) == (11, 6.0)
    assert counts.turned == pentanomial(outcomes(book.tournament), "b", "a")
    assert pentanomials(outcomes(book.tournament)) == {
        ("a", "b"): counts,
        ("b", "a"): counts.turned,
    }


def test_two_games_on_the_same_seats_are_no_pair() -> None:
    games = [Outcome(("a", "b"), 1.0, 1), Outcome(("a", "b"), 0.0, 1)]
    assert pentanomial(games, "a", "b") == Pentanomial(singles=(1, 0, 1))


def test_many_pairs_have_the_interval_of_their_mean() -> None:
    """By hand: mean 0.55, variance of a pair 0.0375 (a game), 400 pairs."""
    counts = Pentanomial((20, 40, 200, 120, 20))
    score = 0.55
    variance = (20 * 0.55**2 + 40 * 0.3**2 + 200 * 0.05**2 + 120 * 0.2**2 + 20 * 0.45**2) / 400
    half = 1.96 * math.sqrt(variance / 400)
    found = elo_difference(counts)
    assert counts.score == score
    assert found is not None
    assert found.value == pytest.approx(elo_of_score(score))
    assert found.low == pytest.approx(elo_of_score(score - half), abs=1)
    assert found.high == pytest.approx(elo_of_score(score + half), abs=1)


@pytest.mark.parametrize("pairs", [(0, 0, 0, 0, 5), (0, 0, 5, 0, 0), (0, 0, 1, 0, 0)])
def test_few_pairs_that_agree_leave_an_interval(pairs: tuple[int, int, int, int, int]) -> None:
    found = elo_difference(Pentanomial(pairs))
    assert found is not None
    assert found.high - found.low > 100


def test_pairs_that_agree_are_worth_half_of_their_games() -> None:
    agreeing = elo_difference(Pentanomial((50, 0, 0, 0, 50)))
    single = elo_difference(Pentanomial(singles=(50, 0, 50)))
    assert agreeing is not None
    assert single is not None
    assert agreeing.high == pytest.approx(single.high)


def test_no_game_tells_nothing() -> None:
    assert elo_difference(Pentanomial()) is None
    assert Pentanomial().score is None


def test_elo_and_scores_are_each_others_inverse() -> None:
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of_score(expected_score(123.4)) == pytest.approx(123.4)
    assert elo_of_score(1) == -elo_of_score(0) == 2000
