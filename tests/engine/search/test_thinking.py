"""When a search on a clock answers: early if nothing can change, late while it is in doubt."""

from typing import cast

import pytest

from engine.contract import Candidate, Info, Signals
from engine.search.budget import Plan
from engine.search.searcher import Searcher
from engine.search.thinking import CHUNK_SECONDS, EARLIEST_SHARE, Thinking

A_SECOND = 10_000
"""Playouts."""
TARGET, DEADLINE = 2.0, 4.0


class TimedSearcher:
    """A searcher that finds what it is told to, at a steady pace on a clock of its own."""

    solved = False

    def __init__(self, *found: Candidate) -> None:
        self._found = found
        self.now = 100.0

    def grow(self, playouts: int) -> int:
        self.now += playouts / A_SECOND
        return playouts

    def candidates(self, count: int) -> tuple[Candidate, ...]:
        return self._found[:count]


def candidate(turn: str, value: float, visits: int) -> Candidate:
    return Candidate(turn, value, visits, (turn,))


def seconds(*found: Candidate, managed: bool = True) -> float:
    """How long it thinks where it finds this all the time."""
    searcher = TimedSearcher(*found)
    told: list[Info] = []
    clock = lambda: searcher.now  # noqa: E731
    thinking = Thinking(cast("Searcher", searcher), told.append, Signals(), clock)
    thinking.run(Plan(TARGET, DEADLINE if managed else TARGET, managed=managed))
    assert {info.best for info in told} <= {found[0]}
    return thinking.seconds


FAR_AHEAD = candidate("a", 0.6, 100_000), candidate("b", 0.5, 100)
CLOSE = candidate("a", 0.6, 1000), candidate("b", 0.5, 900)
DOUBTFUL = candidate("a", 0.5, 1000), candidate("b", 0.6, 900)


def test_who_cannot_be_overtaken_is_played_early() -> None:
    assert seconds(*FAR_AHEAD) == pytest.approx(EARLIEST_SHARE * TARGET, abs=0.15)


def test_the_best_is_played_when_its_time_is_up() -> None:
    assert seconds(*CLOSE) == pytest.approx(TARGET, abs=2 * CHUNK_SECONDS)


def test_a_turn_in_doubt_gets_more_time_up_to_the_deadline() -> None:
    assert seconds(*DOUBTFUL) == pytest.approx(DEADLINE, abs=2 * CHUNK_SECONDS)


def test_a_time_that_was_asked_for_is_used_up() -> None:
    assert seconds(*FAR_AHEAD, managed=False) == pytest.approx(TARGET, abs=2 * CHUNK_SECONDS)
