"""A match of two: the difference between the players, not that of each to their mean."""

import pytest

from bot.tournaments.head_to_head import HeadToHead, head_to_head
from bot.tournaments.outcomes import outcomes
from bot.tournaments.sprt import Bounds
from bot.tournaments.sprt_run import sprt
from tests.bot.tournaments.event_making import Book

LOST, SPLIT, WON = "01", "11", "10"
"""Pairs of which A won no game, one and both; a mark is from the view of the first seat."""


def match_of(marks: str) -> HeadToHead:
    book = Book("A B")
    book.play(1, "A", marks, "B")
    return head_to_head(outcomes(book.tournament), ("A", "B"))


def test_35_to_3_is_427_elo_and_not_half_of_that() -> None:
    found = match_of(3 * SPLIT + 16 * WON)
    assert (found.wins, found.draws, found.losses) == (35, 0, 3)
    assert found.counts.pairs == (0, 0, 3, 0, 16)
    assert found.elo is not None
    assert [round(x) for x in (found.elo.value, found.elo.low, found.elo.high)] == [427, 235, 618]
    assert found.superiority > 0.999
    assert not found.is_bounded


def test_the_difference_has_the_opposite_sign_for_the_other_player() -> None:
    marks = "==" + 3 * SPLIT + 4 * WON + LOST
    book = Book("A B")
    book.play(1, "A", marks, "B")
    games = outcomes(book.tournament)
    one, other = head_to_head(games, ("A", "B")), head_to_head(games, ("B", "A"))
    assert one.elo is not None
    assert other.elo is not None
    assert other.elo.value == pytest.approx(-one.elo.value)
    assert (other.wins, other.draws) == (one.losses, one.draws) == (5, 2)


def test_24_to_0_has_only_a_lower_bound() -> None:
    found = match_of(12 * WON)
    assert found.is_bounded
    assert found.elo is not None
    assert 150 < found.elo.low < 250
    assert found.normalised is None


def test_a_match_without_a_test_has_a_likelihood_ratio_and_no_verdict() -> None:
    found = match_of(400 * WON + LOST)
    assert not found.is_tested
    assert found.test.ratio > found.test.bounds.upper
    assert found.test.verdict is None


def test_a_match_with_a_test_has_its_verdict() -> None:
    book = Book("A B")
    book.play(1, "A", 3 * SPLIT + 30 * WON, "B")
    test = sprt(book.tournament, "A", "B", Bounds(0, 100))
    found = head_to_head(outcomes(book.tournament), ("A", "B"), test)
    assert found.is_tested
    assert found.test is test
    assert test.verdict == "H1"


def test_a_game_without_a_partner_does_not_change_the_likelihood_ratio() -> None:
    found = match_of("1")
    assert found.counts.singles == (0, 0, 1)
    assert found.test.ratio == 0
