"""The sequential test of a tournament does not depend on the order in which games end."""

from random import Random

import numpy as np
import pytest

from bot.tournaments.events import Stopped
from bot.tournaments.outcomes import Outcome, outcomes
from bot.tournaments.pentanomial import Pentanomial, pentanomial
from bot.tournaments.sprt import Bounds, Sprt, log_likelihood_ratio
from bot.tournaments.sprt_run import SprtRun, sprt
from bot.tournaments.state import Tournament
from tests.bot.tournaments.event_making import Book
from tests.bot.tournaments.happenings import happening

WIDE = Bounds(0, 200, alpha=0.1, beta=0.1)
NARROW = Bounds(-50, 50, alpha=0.4, beta=0.4)


def state_after(order: list[int], marks: str) -> Sprt:
    book = Book("a b")
    book.pair(1, "a", "b", games=len(marks))
    for game in order:
        book.finish(game, marks[game - 1])
    return sprt(book.tournament, "a", "b", WIDE)


def test_the_order_in_which_games_end_does_not_matter() -> None:
    marks = "10==10100="
    random = Random(1)
    orders = [random.sample(range(1, 11), 10) for _ in range(50)]
    assert len({state_after(order, marks) for order in orders}) == 1


def test_an_unfinished_pair_holds_back_later_pairs() -> None:
    assert state_after([3, 4, 5, 6], "10" * 3).counts == Pentanomial()
    assert state_after([1, 2, 5, 6], "10" * 3).counts.pairs == (0, 0, 0, 0, 1)


def test_pairs_after_the_decision_do_not_count() -> None:
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


def complete_pairs(tournament: Tournament) -> list[list[Outcome]]:
    """The pairs of `a` and `b` before the first unfinished one, from all games."""
    both = {"a", "b"}
    gaps = [game.pair for game in tournament.waiting() if {*game.seats} == both]
    counting: dict[int, list[Outcome]] = {}
    for game in outcomes(tournament):
        if {*game.seats} == both and game.pair < min(gaps, default=game.pair + 1):
            counting.setdefault(game.pair, []).append(game)
    return [games for _, games in sorted(counting.items()) if len(games) == 2]


def shortest_that_decides(tournament: Tournament, bounds: Bounds) -> tuple[Pentanomial, float]:
    counts, ratio = Pentanomial(), 0.0
    for pair in complete_pairs(tournament):
        more = pentanomial(pair, "a", "b").pairs
        zero, half, even, over, two = (x + y for x, y in zip(counts.pairs, more, strict=True))
        counts = Pentanomial((zero, half, even, over, two))
        ratio = float(log_likelihood_ratio(np.array(counts.pairs), bounds))
        if bounds.verdict(ratio) is not None:
            break
    return counts, ratio


@pytest.mark.parametrize("bounds", [WIDE, NARROW])
@pytest.mark.parametrize("seed", range(12))
def test_a_run_that_follows_a_tournament_agrees_with_a_count_of_all_games(
    seed: int, bounds: Bounds
) -> None:
    run = SprtRun("a", "b", bounds)
    for tournament in happening(seed, events=120):
        counts, ratio = shortest_that_decides(tournament, bounds)
        for found in (run.of(tournament), sprt(tournament, "a", "b", bounds)):
            assert found.counts == counts
            assert found.ratio == pytest.approx(ratio, abs=1e-6)
            assert found.verdict == bounds.verdict(found.ratio)


def test_a_run_starts_from_zero_with_another_tournament() -> None:
    run, book = SprtRun("a", "b", WIDE), Book("a b")
    book.play(1, "a", "10", "b")
    assert run.of(book.tournament) == sprt(book.tournament, "a", "b", WIDE)

    other = Book("a b")
    other.play(1, "a", "01", "b")
    assert run.of(other.tournament).counts.pairs == (1, 0, 0, 0, 0)
