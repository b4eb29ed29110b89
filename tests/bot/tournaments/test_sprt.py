"""The sequential test, on its known values and whatever the order in which games end."""

from random import Random

import numpy as np
import pytest

from bot.tournaments.events import Stopped
from bot.tournaments.pentanomial import Pentanomial
from bot.tournaments.sprt import Bounds, Sprt, log_likelihood_ratio, sprt
from tests.bot.tournaments.event_making import Book

WIDE = Bounds(0, 200, alpha=0.1, beta=0.1)


@pytest.mark.parametrize(
    ("pairs", "bounds", "ratio"),
    [
        ((223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
        ((871, 26175, 55983, 26678, 821), (0, 2), -4.98),
    ],
)
def test_ratios_are_those_of_fastchess(
    pairs: tuple[int, ...], bounds: tuple[float, float], ratio: float
) -> None:
    """Its own tests, `app/tests/sprt_test.cpp`, "logistic pentanomial 1" and "2"."""
    assert log_likelihood_ratio(np.array(pairs), Bounds(*bounds)) == pytest.approx(ratio, abs=0.005)


def test_rows_are_taken_one_by_one() -> None:
    pairs = np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
    both = log_likelihood_ratio(pairs, WIDE)
    assert both.shape == (2,)
    assert both[1] == pytest.approx(float(log_likelihood_ratio(pairs[1], WIDE)))
    assert both[1] < 0 < both[0]


def test_the_bounds_are_walds() -> None:
    bounds = Bounds(0, 5)
    assert bounds.lower == pytest.approx(-2.944, abs=1e-3)
    assert bounds.upper == pytest.approx(2.944, abs=1e-3)
    assert (bounds.verdict(2.95), bounds.verdict(-2.95), bounds.verdict(0)) == ("H1", "H0", None)


@pytest.mark.parametrize("wrong", [(5, 5, 0.05, 0.05), (0, 5, 0, 0.05), (0, 5, 0.5, 0.5)])
def test_bounds_that_test_nothing_are_refused(wrong: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"elo1|alpha"):
        Bounds(*wrong)


def state_after(order: list[int], marks: str) -> Sprt:
    book = Book("a b")
    book.pair(1, "a", "b", games=len(marks))
    for game in order:
        book.finish(game, marks[game - 1])
    return sprt(book.tournament, "a", "b", WIDE)


def test_it_does_not_matter_which_game_is_over_first() -> None:
    marks = "10==10100="
    random = Random(1)
    orders = [random.sample(range(1, 11), 10) for _ in range(50)]
    assert len({state_after(order, marks) for order in orders}) == 1


def test_a_gap_holds_back_what_comes_after_it() -> None:
    assert state_after([3, 4, 5, 6], "10" * 3).counts == Pentanomial()
    assert state_after([1, 2, 5, 6], "10" * 3).counts.pairs == (0, 0, 0, 0, 1)


def test_it_is_decided_by_the_pairs_that_decide_it() -> None:
    decided = state_after(list(range(1, 41)), "10" * 20)
    assert decided.verdict == "H1"
    assert decided.ratio >= WIDE.upper
    count = decided.counts.pairs[4]
    assert 0 < count < 20
    assert state_after(list(range(1, 2 * count - 1)), "10" * 20).verdict is None


def test_a_stopped_pairing_holds_back_nothing() -> None:
    book = Book("a b")
    book.pair(1, "a", "b", games=2)
    book.events.append(Stopped(pairing=1, why="void twice"))
    book.play(1, "a", "10", "b")
    assert sprt(book.tournament, "a", "b", WIDE).counts.pairs == (0, 0, 0, 0, 1)


def test_a_pair_with_a_repeat_is_left_out() -> None:
    book = Book("a b")
    book.pair(1, "a", "b", games=6)
    for game, way in enumerate(("u", "v", "u", "w", "x", "y"), start=1):
        book.finish(game, "1", fingerprint=way)
    assert sum(sprt(book.tournament, "a", "b", WIDE).counts.pairs) == 2
