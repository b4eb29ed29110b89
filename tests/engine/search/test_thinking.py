"""When a search on a clock answers: early if nothing can change, late while it is in doubt."""

from collections.abc import Callable
from typing import cast

import pytest

from engine.contract import Candidate, Info, Signals
from engine.search.budget import TurnPlan
from engine.search.searcher import Searcher
from engine.search.thinking import CHECK_SECONDS, CHUNK_SECONDS, NODES_PER_PLAYOUT, Thinking

A_SECOND = 10_000
"""Playouts."""
PLAN = TurnPlan(minimum=0.4, recommended=2.0, maximum=4.0)
MINIMUM, RECOMMENDED, MAXIMUM = 0.4, 2.0, 4.0
LOOK = CHECK_SECONDS + 2 * CHUNK_SECONDS
"""How late something may be seen."""


Found = tuple[Candidate, ...]


class TimedSearcher:
    """A searcher that finds what it is told to, at a steady pace on a clock of its own.

    `then` says what it finds from some second on.
    """

    def __init__(self, found: Found, then: dict[float, Found]) -> None:
        self._found = found
        self._then = then
        self._began = self.now = 100.0
        self.solved_at = float("inf")
        self.may_prove = False
        self.looks: list[tuple[float, int]] = []
        """When it looked for a proof, and at how many positions."""
        self.look_seconds = 0.0
        self.on_grow: Callable[[], None] = lambda: None
        self.halts: list[float | None] = []
        """In how many seconds it was to halt, each time."""

    @property
    def solved(self) -> bool:
        return self.now - self._began >= self.solved_at

    def halt_in(self, seconds: float | None) -> None:
        self.halts.append(seconds)

    def halt(self) -> None:
        self.halts.append(0.0)

    def grow(self, playouts: int) -> int:
        self.on_grow()
        self.now += playouts / A_SECOND
        return playouts

    def prove(self, nodes: int) -> None:
        self.looks.append((self.now - self._began, nodes))
        self.now += self.look_seconds

    def candidates(self, count: int) -> Found:
        past = [at for at in self._then if self.now - self._began >= at]
        return (self._then[max(past)] if past else self._found)[:count]


def candidate(turn: str, value: float, visits: int) -> Candidate:
    return Candidate(turn, value, visits, (turn,))


def seconds(
    *found: Candidate,
    plan: TurnPlan = PLAN,
    then: dict[float, Found] | None = None,
    solved_at: float = float("inf"),
) -> float:
    """How long it thinks where it finds this, and then what is said for later."""
    searcher = TimedSearcher(found, then or {})
    searcher.solved_at = solved_at
    told: list[Info] = []
    thinking = Thinking(cast("Searcher", searcher), told.append, Signals(), lambda: searcher.now)
    thinking.run(plan)
    return thinking.seconds


FAR_AHEAD = candidate("a", 0.6, 100_000), candidate("b", 0.5, 100)
CLOSE = candidate("a", 0.6, 1000), candidate("b", 0.5, 900)
CHALLENGED = candidate("a", 0.5, 1000), candidate("b", 0.6, 900)


def test_a_turn_that_cannot_be_overtaken_is_played_early() -> None:
    assert seconds(*FAR_AHEAD) == pytest.approx(MINIMUM, abs=LOOK)


def test_a_turn_that_is_alone_is_played_early() -> None:
    assert seconds(FAR_AHEAD[0]) == pytest.approx(MINIMUM, abs=LOOK)


def test_a_proved_turn_is_played_at_once() -> None:
    assert seconds(*CLOSE, solved_at=0.1) == pytest.approx(0.1, abs=2 * CHUNK_SECONDS)


def test_the_best_is_played_when_its_time_is_up() -> None:
    assert seconds(*CLOSE) == pytest.approx(RECOMMENDED, abs=LOOK)


def test_a_turn_that_is_challenged_gets_more_time_up_to_the_maximum() -> None:
    assert seconds(*CHALLENGED) == pytest.approx(MAXIMUM, abs=2 * CHUNK_SECONDS)


def test_a_doubt_that_goes_away_ends_the_extra_time() -> None:
    found = seconds(*CHALLENGED, then={3.0: CLOSE})
    assert found == pytest.approx(3.0, abs=LOOK)


def test_a_win_needs_no_more_time() -> None:
    won = Candidate("b", 1.0, 50, ("b",), result=1), CLOSE[0]
    assert seconds(*CLOSE, then={1.95: won}) == pytest.approx(RECOMMENDED, abs=LOOK)


def test_a_requested_time_is_used_up() -> None:
    asked = TurnPlan(RECOMMENDED, RECOMMENDED, RECOMMENDED)
    for found in (FAR_AHEAD, CHALLENGED):
        assert seconds(*found, plan=asked) == pytest.approx(RECOMMENDED, abs=2 * CHUNK_SECONDS)


def test_a_short_time_is_kept_too() -> None:
    short = TurnPlan(0.01, 0.05, 0.1)
    assert seconds(*CLOSE, plan=short) == pytest.approx(0.05, abs=CHUNK_SECONDS)


def test_while_it_ponders_no_plan_ends_it_and_the_time_counts_afterwards() -> None:
    searcher, signals = TimedSearcher(CLOSE, {}), Signals()
    waited = 7.0

    def on_info(_: Info) -> None:
        if searcher.now >= 100.0 + waited:
            signals.ponderhit.set()

    thinking = Thinking(cast("Searcher", searcher), on_info, signals, lambda: searcher.now)
    thinking.run(TurnPlan(), until_ponderhit=True)
    assert thinking.seconds == pytest.approx(waited, abs=0.5)
    before = thinking.seconds
    thinking.run(PLAN)
    assert thinking.seconds - before == pytest.approx(RECOMMENDED, abs=LOOK)


def test_the_maximum_of_the_plan_halts_whatever_runs() -> None:
    searcher = TimedSearcher(CLOSE, {})
    thinking = Thinking(cast("Searcher", searcher), print, Signals(), lambda: searcher.now)
    thinking.run(PLAN, since=searcher.now - 0.25)
    assert searcher.halts == [pytest.approx(MAXIMUM - 0.25), None]
    thinking.run(TurnPlan(nodes=thinking.nodes + 1))
    assert searcher.halts[2:] == [None, None]


@pytest.mark.parametrize("name", ["stop", "ponderhit"])
def test_a_signal_halts_whatever_runs_at_once(name: str) -> None:
    searcher, signals = TimedSearcher(CLOSE, {}), Signals()
    signal = getattr(signals, name)
    searcher.on_grow = signal.set
    thinking = Thinking(cast("Searcher", searcher), print, signals, lambda: searcher.now)
    thinking.run(TurnPlan(), until_ponderhit=True)
    assert searcher.halts == [None, 0.0, None]
    signal.set()
    assert searcher.halts == [None, 0.0, None]


def test_a_search_that_no_longer_ponders_is_not_halted_by_ponderhit() -> None:
    searcher, signals = TimedSearcher(CLOSE, {}), Signals()
    searcher.on_grow = signals.ponderhit.set
    thinking = Thinking(cast("Searcher", searcher), print, signals, lambda: searcher.now)
    thinking.run(TurnPlan(nodes=50))
    assert searcher.halts == [None, None]


def looks(plan: TurnPlan, *, look_seconds: float = 0.0) -> tuple[list[tuple[float, int]], float]:
    """When a search looked for proofs, at how many positions, and when it answered."""
    searcher = TimedSearcher(CLOSE, {})
    searcher.may_prove, searcher.look_seconds = True, look_seconds
    thinking = Thinking(cast("Searcher", searcher), print, Signals(), lambda: searcher.now)
    thinking.run(plan)
    return searcher.looks, thinking.seconds


def test_looks_for_a_proof_take_a_share_of_the_playouts_wherever_chunks_end() -> None:
    """So a search that is bounded by playouts finds the same on every machine."""
    some, _ = looks(TurnPlan(nodes=6000))
    assert [round(at * A_SECOND) for at, _ in some] == [
        *(32, 64, 128, 256, 512),
        *(1024, 2048, 3072, 4096, 5120),
    ]
    assert max(nodes for _, nodes in some) == 1024 * NODES_PER_PLAYOUT


def test_a_look_for_a_proof_that_would_end_too_late_is_left_out() -> None:
    plan = TurnPlan(minimum=1.0, recommended=1.0, maximum=1.0)
    some, answered = looks(plan, look_seconds=0.3)
    assert len(some) == 2
    assert answered <= 1.0 + CHUNK_SECONDS
