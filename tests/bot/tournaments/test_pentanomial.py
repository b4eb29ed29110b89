"""Statistics with pairs of games as units."""

import math
import random

import pytest

from bot.tournaments.elo import elo_of_score, expected_score
from bot.tournaments.outcomes import Outcome, outcomes
from bot.tournaments.pentanomial import (
    Pentanomial,
    elo_difference,
    normalised_elo,
    pentanomial,
    pentanomial_of,
    pentanomials,
    score_interval,
    superiority,
)
from tests.bot.tournaments.event_making import Book


def test_pairs_and_games_without_a_partner_are_counted_separately() -> None:
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


def test_two_games_without_swapped_seats_are_single_games() -> None:
    games = [Outcome(("a", "b"), 1.0, 1), Outcome(("a", "b"), 0.0, 1)]
    assert pentanomial(games, "a", "b") == Pentanomial(singles=(1, 0, 1))


def test_many_pairs_have_the_interval_of_their_mean() -> None:
    """Computed by hand: mean 0.55, variance of a pair 0.0375 (per game), 400 pairs."""
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
def test_a_few_pairs_with_the_same_score_have_a_wide_interval(
    pairs: tuple[int, int, int, int, int],
) -> None:
    found = elo_difference(Pentanomial(pairs))
    assert found is not None
    assert found.high - found.low > 100


def test_pairs_whose_games_agree_count_as_half_their_games() -> None:
    agreeing = elo_difference(Pentanomial((50, 0, 0, 0, 50)))
    single = elo_difference(Pentanomial(singles=(50, 0, 50)))
    assert agreeing is not None
    assert single is not None
    assert agreeing.high == pytest.approx(single.high)


def test_without_games_nothing_is_known() -> None:
    assert elo_difference(Pentanomial()) is None
    assert normalised_elo(Pentanomial()) is None
    assert superiority(Pentanomial()) == 0.5
    assert score_interval(Pentanomial()) == (0, 1)
    assert Pentanomial().score is None


def test_single_games_have_the_interval_of_wilson() -> None:
    low, high = score_interval(Pentanomial(singles=(4, 0, 36)))
    assert (low, high) == pytest.approx((0.7695, 0.9604), abs=1e-3)
    low, high = score_interval(Pentanomial(singles=(0, 0, 40)))
    assert low == pytest.approx(0.9124, abs=1e-3)
    assert high == 1


@pytest.mark.parametrize(("elo", "spread"), [(0, 0), (0, 300), (200, 300)])
def test_intervals_of_pairs_hold_the_true_score_in_95_percent(elo: float, spread: float) -> None:
    chance = random.Random(f"{elo} {spread}")

    def pair() -> tuple[float, float]:
        opening = chance.gauss(0, spread)
        one, other = (chance.random() < expected_score(elo + each) for each in (opening, -opening))
        return float(one), float(other)

    true = sum(sum(pair()) for _ in range(20_000)) / 40_000
    held = 0
    for _ in range(500):
        low, high = score_interval(pentanomial_of(pair() for _ in range(20)))
        held += low <= true <= high
    assert 0.92 < held / 500 < 0.98


def test_normalised_elo_is_that_of_fastchess() -> None:
    """Computed by hand: variance of a pair (per game) 0.0375, of a game twice that."""
    found = normalised_elo(Pentanomial((20, 40, 200, 120, 20)))
    variance = (20 * 0.55**2 + 40 * 0.3**2 + 200 * 0.05**2 + 120 * 0.2**2 + 20 * 0.45**2) / 400
    assert found is not None
    assert found.value == pytest.approx(0.05 / math.sqrt(2 * variance) * 800 / math.log(10))
    assert found.high - found.value == pytest.approx(1.96 * 347.4356 / math.sqrt(800), abs=0.01)
    assert normalised_elo(Pentanomial((0, 0, 0, 0, 12))) is None


def test_superiority_exceeds_97_5_percent_if_the_interval_is_above_a_half() -> None:
    for wins in range(10, 21):
        counts = Pentanomial((20 - wins, 0, 4, 0, wins))
        is_above = score_interval(counts)[0] > 0.5
        assert is_above == (superiority(counts) > 0.975)
        assert superiority(counts) == pytest.approx(1 - superiority(counts.turned))


def test_elo_and_score_are_inverse_functions() -> None:
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of_score(expected_score(123.4)) == pytest.approx(123.4)
    assert elo_of_score(1) == -elo_of_score(0) == 2000
