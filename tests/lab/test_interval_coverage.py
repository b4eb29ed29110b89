"""The simulations of ratings: their events and figures."""

from collections import Counter
from random import Random

import pytest

from tests.lab.interval_coverage import Coverage, measure
from tests.lab.synthetic import Event, World, play_round_robin, play_swiss, true_ratings


def event(players: int, world: World | None = None) -> Event:
    random = Random(1)
    world = world or World()
    return Event(world, true_ratings(world, players, random), random, [])


def test_a_swiss_has_no_repeated_pairs_and_a_bye_for_an_odd_number() -> None:
    swiss = event(9)
    play_swiss(swiss, 5)
    met = Counter(frozenset(game.seats) for game in swiss.games)
    assert len(swiss.games) == 2 * 4 * 5
    assert set(met.values()) == {2}


def test_in_a_round_robin_each_meets_each_on_both_seats() -> None:
    everyone = event(5)
    play_round_robin(everyone, 2)
    assert set(Counter(game.seats for game in everyone.games).values()) == {2}
    assert len(everyone.games) == 5 * 4 * 2


def test_openings_that_favour_a_seat_make_pairs_cancel_out() -> None:
    """If all luck is the opening's, equal players without draws win one game each."""
    even = event(2, World(spread=0, advantage=0, nu=1e-9, opening=1))
    play_round_robin(even, 20)
    firsts = [game.points for game in even.games]
    assert firsts[::2] == firsts[1::2]
    assert set(firsts) == {0, 1}


@pytest.fixture(scope="module")
def small() -> Coverage:
    said: list[str] = []
    found = measure("round-robin", 6, 2, 50, 1, World(), said.append)
    assert len(said) == 1
    return found


def test_intervals_hold_the_truth_about_as_often_as_they_say(small: Coverage) -> None:
    assert (small.intervals, small.games) == (300, 60)
    assert 0.9 < small.held < 0.99
    assert small.width < small.width_by_games


def test_the_same_seed_finds_the_same(small: Coverage) -> None:
    again = measure("round-robin", 6, 2, 50, 1, World(), lambda _: None)
    assert again == small
