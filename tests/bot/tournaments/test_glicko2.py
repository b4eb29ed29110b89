"""Glicko-2: Glickman's example, another implementation, and the rules for single games."""

import math
import random

import pytest
from glicko2.math import mu_to_rating, phi_to_rd, rating_to_mu, rd_to_phi, update_rating

from bot.tournaments import glicko2
from bot.tournaments.glicko2 import Played, Rating

DAY_S = 86_400.0


def by_the_other(player: Rating, games: list[Played]) -> Rating:
    """The same rating period, by the package glicko2-py."""
    found = update_rating(
        rating_to_mu(player.rating),
        rd_to_phi(player.deviation),
        player.volatility,
        [
            (rating_to_mu(each.opponent.rating), rd_to_phi(each.opponent.deviation), each.score)
            for each in games
        ],
        tau=glicko2.TAU,
    )
    return Rating(mu_to_rating(found.mu), phi_to_rd(found.phi), found.sigma)


def test_the_example_of_the_paper() -> None:
    opponents = [Rating(1400, 30), Rating(1550, 100), Rating(1700, 300)]
    games = [Played(opponent, score) for opponent, score in zip(opponents, (1, 0, 0), strict=True)]
    found = glicko2.updated(Rating(1500, 200, 0.06), games)
    assert found.rating == pytest.approx(1464.06, abs=0.02)
    assert found.deviation == pytest.approx(151.52, abs=0.01)
    assert found.volatility == pytest.approx(0.05999, abs=0.00001)


def test_periods_are_rated_as_by_another_implementation() -> None:
    rng = random.Random(5)
    for _ in range(2_000):
        player = Rating(rng.uniform(600, 2600), rng.uniform(45, 350), rng.uniform(0.04, 0.1))
        games = [
            Played(
                Rating(rng.uniform(600, 2600), rng.uniform(45, 350)), rng.choice([0.0, 0.5, 1.0])
            )
            for _ in range(rng.randint(1, 6))
        ]
        mine, other = glicko2.updated(player, games), by_the_other(player, games)
        assert mine.rating == pytest.approx(other.rating, abs=0.01)
        assert mine.deviation == pytest.approx(other.deviation, abs=0.01)
        assert mine.volatility == pytest.approx(other.volatility, abs=1e-6)


def test_long_careers_stay_equal_to_another_implementation() -> None:
    """5,000 games between 20 players, one period each: nothing adds up to a tenth of a point."""
    rng = random.Random(6)
    strengths = [rng.gauss(0, 1.5) for _ in range(20)]
    mine, other = [Rating()] * 20, [Rating()] * 20
    for _ in range(5_000):
        one, two = rng.sample(range(20), 2)
        chance = 1 / (1 + math.exp(strengths[two] - strengths[one]))
        score = 0.5 if rng.random() < 0.05 else float(rng.random() < chance)
        for book, rate in ((mine, glicko2.updated), (other, by_the_other)):
            before = book[one], book[two]
            book[one] = rate(before[0], [Played(before[1], score)])
            book[two] = rate(before[1], [Played(before[0], 1 - score)])
    for each, twin in zip(mine, other, strict=True):
        assert each.rating == pytest.approx(twin.rating, abs=0.1)
        assert each.deviation == pytest.approx(twin.deviation, abs=0.1)


def test_both_players_of_a_game_are_rated_with_what_was_known_before_it() -> None:
    winner, loser = glicko2.after_game(Rating(), Rating(), 1, (0.0, 0.0))
    assert winner.rating - 1500 == pytest.approx(1500 - loser.rating, abs=1e-5)
    assert winner.rating == pytest.approx(1662.2, abs=0.1)
    assert winner.deviation == loser.deviation == pytest.approx(290.2, abs=0.2)


def test_games_in_quick_succession_add_no_deviation() -> None:
    settled = Rating(1600, 60, 0.06)
    soon, _ = glicko2.after_game(settled, settled, 0.5, (0.0, 0.0))
    late, _ = glicko2.after_game(settled, settled, 0.5, (10.0, 10.0))
    assert soon.deviation < settled.deviation < late.deviation


def test_an_established_rating_becomes_provisional_after_a_year_without_games() -> None:
    settled = Rating(1600, 60, 0.06)
    assert glicko2.established_s(settled) == pytest.approx(365 * DAY_S, rel=0.01)
    months = [glicko2.aged(settled, glicko2.periods_in(days * DAY_S)) for days in (300, 400)]
    assert [each.is_provisional for each in months] == [False, True]
    assert glicko2.established_s(Rating()) == 0
    assert glicko2.periods_in(-1) == 0


def test_no_absence_makes_a_player_less_known_than_a_new_one() -> None:
    veteran = Rating(1900, 50, 0.06)
    assert glicko2.aged(veteran, 1e6).deviation == glicko2.MOST_DEVIATION
    after, _ = glicko2.after_game(veteran, Rating(1900), 1, (1e6, 0.0))
    fresh, _ = glicko2.after_game(Rating(1900), Rating(1900), 1, (0.0, 0.0))
    assert after.rating == pytest.approx(fresh.rating, abs=1)


def test_ratings_have_bounds() -> None:
    top, bottom = Rating(3999.9, 200, 0.06), Rating(400.1, 200, 0.06)
    assert glicko2.after_game(top, top, 1, (0, 0))[0].rating == glicko2.HIGHEST
    assert glicko2.after_game(bottom, bottom, 0, (0, 0))[0].rating == glicko2.LOWEST
    known = Rating(1500, 45, 0.06)
    for _ in range(100):
        known, _ = glicko2.after_game(known, Rating(1500, 45), 0.5, (0, 0))
    assert known.deviation == glicko2.LEAST_DEVIATION


def test_expected_scores_follow_the_difference() -> None:
    assert glicko2.expected_score(Rating(), Rating()) == 0.5
    assert glicko2.expected_score(Rating(1900), Rating(1500, 50)) == pytest.approx(0.906, abs=0.001)
