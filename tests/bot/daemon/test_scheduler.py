"""Many games on few engines: nobody is late who need not be, and nobody is cut without need."""

import heapq
from contextlib import ExitStack
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.daemon.scheduler import (
    LEAST_S,
    OVERDUE_S,
    SHORTEST_S,
    Job,
    QueuePlace,
    Scheduler,
    all_are_met,
    due_at,
)
from bot.daemon.time_manager import latest_s
from tests.fakes.time import FakeTime

NOW = FakeTime().monotonic()
HOUR = 3600.0


class Clock(FakeTime):
    """Set by hand; nobody sleeps by it."""

    def set(self, moment: float) -> None:
        self._now = moment


class Simulation:
    """Engines that take all the time that they may, and turns that arrive as they come."""

    def __init__(self, engines: int) -> None:
        self.clock = Clock()
        self.scheduler = Scheduler(lambda: engines, self.clock)
        self.thought: dict[int, float] = {}
        self.done_at: dict[int, float] = {}
        self._idle = engines
        self._order = count()
        self._running: list[tuple[float, int, int, QueuePlace]] = []
        self._waiting: list[tuple[float, int, QueuePlace]] = []
        self._places: dict[int, ExitStack] = {}

    def arrives(self, game: int, deadline: float, wish_s: float) -> None:
        self._places[game] = ExitStack()
        place = self._places[game].enter_context(self.scheduler.place(deadline, wish_s))
        heapq.heappush(self._waiting, (place.due, game, place))
        self._give_up_what_is_wanted()

    def run(self, until: float = float("inf")) -> None:
        self._begin()
        while self._running and self._running[0][0] <= until:
            end, _, game, _ = heapq.heappop(self._running)
            self.clock.set(end)
            self._idle += 1
            self.done_at[game] = end
            self._places.pop(game).close()
            self._begin()
        if until < float("inf"):
            self.clock.set(until)

    def _begin(self) -> None:
        while self._idle and self._waiting:
            _, game, place = heapq.heappop(self._waiting)
            self.thought[game] = place.begin()
            end = self.clock.monotonic() + latest_s(self.thought[game])
            heapq.heappush(self._running, (end, next(self._order), game, place))
            self._idle -= 1

    def _give_up_what_is_wanted(self) -> None:
        for each in [each for each in self._running if each[3].wanted.is_set()]:
            self._running.remove(each)
            heapq.heapify(self._running)
            _, _, game, place = each
            place.interrupted()
            heapq.heappush(self._waiting, (place.due, game, place))
            self._idle += 1


games = st.lists(
    st.tuples(st.floats(SHORTEST_S, 200) | st.floats(0, 14 * 24 * HOUR), st.floats(0.05, 3600)),
    min_size=1,
    max_size=40,
)


@given(games, st.integers(1, 4))
def test_all_that_can_be_met_at_the_least_think_time_are_met(
    wanted: list[tuple[float, float]], engines: int
) -> None:
    deadlines = [NOW + left for left, _ in wanted]
    least = [Job(deadline, LEAST_S) for deadline in sorted(deadlines)]
    simulation = Simulation(engines)
    for game, (deadline, (_, wish)) in enumerate(zip(deadlines, wanted, strict=True)):
        simulation.arrives(game, deadline, wish)
    simulation.run()
    assert simulation.done_at.keys() == set(range(len(wanted)))
    assert all(simulation.thought[game] <= wish for game, (_, wish) in enumerate(wanted))
    if all_are_met(least, [NOW] * engines, 0.0):
        late = [game for game, at in simulation.done_at.items() if at > deadlines[game] + 1e-6]
        assert late == []


@given(games, games, st.integers(1, 3), st.floats(0, 100))
def test_later_turns_meet_their_deadlines_if_possible(
    first: list[tuple[float, float]],
    second: list[tuple[float, float]],
    engines: int,
    later: float,
) -> None:
    """The margin of each deadline is what is left for what nobody could know."""
    simulation = Simulation(engines)
    deadlines: dict[int, float] = {}
    for batch, moment in ((first, NOW), (second, NOW + later)):
        simulation.run(until=moment)
        at = simulation.clock.monotonic()
        for left, wish in batch:
            deadlines[len(deadlines)] = at + left + HOUR
            simulation.arrives(len(deadlines) - 1, at + left + HOUR, wish)
    simulation.run()
    assert all(at <= deadlines[game] for game, at in simulation.done_at.items())


def test_a_single_turn_gets_all_the_time_that_it_wishes() -> None:
    simulation = Simulation(1)
    simulation.arrives(0, NOW + 48 * HOUR, 25.0)
    simulation.run()
    assert simulation.thought == {0: 25.0}


def test_a_queue_that_fits_is_not_cut() -> None:
    simulation = Simulation(2)
    for game in range(60):
        simulation.arrives(game, NOW + 48 * HOUR, 25.0)
    simulation.run()
    assert set(simulation.thought.values()) == {25.0}


def test_the_longer_the_queue_the_shorter_the_turns() -> None:
    shortest = []
    for games_at_once in (10, 20, 40, 80):
        simulation = Simulation(1)
        for game in range(games_at_once):
            simulation.arrives(game, NOW + 300, 25.0)
        simulation.run()
        assert max(simulation.done_at.values()) <= NOW + 300
        shortest.append(min(simulation.thought.values()))
    assert shortest == sorted(shortest, reverse=True)
    assert shortest[0] > 2 * shortest[2]


def test_a_long_search_is_interrupted_for_turns_that_would_be_late() -> None:
    simulation = Simulation(1)
    simulation.arrives(0, NOW + 48 * HOUR, 3600.0)
    simulation.run(until=NOW + 10)
    simulation.arrives(1, NOW + 100, 20.0)
    simulation.run()
    assert simulation.done_at[1] <= NOW + 100
    assert simulation.thought[0] == 1800.0, "who was interrupted wishes for less"


def test_an_overdue_turn_is_played_fast_and_after_urgent_ones() -> None:
    simulation = Simulation(1)
    simulation.arrives(0, NOW - 48 * HOUR, 25.0)
    simulation.arrives(1, NOW + 20, 5.0)
    simulation.arrives(2, NOW + 48 * HOUR, 25.0)
    simulation.run()
    assert simulation.thought[0] == LEAST_S
    assert simulation.done_at[1] <= NOW + 20
    assert simulation.done_at[0] <= NOW + OVERDUE_S
    assert simulation.done_at[0] < simulation.done_at[2]


def test_an_overdue_turn_still_waits_for_an_engine() -> None:
    scheduler = Scheduler(lambda: 1, FakeTime())
    with scheduler.place(NOW - HOUR, 25.0) as late, scheduler.place(NOW + HOUR, 25.0) as early:
        assert late.latest > NOW + 10 * OVERDUE_S
        assert early.latest == early.due <= NOW + HOUR


@pytest.mark.parametrize("left", [SHORTEST_S, 10.0, 600.0, 48 * HOUR])
def test_a_turn_is_due_before_its_clock_is_out(left: float) -> None:
    assert NOW + SHORTEST_S <= due_at(NOW + left, NOW) <= NOW + left
    assert due_at(NOW + left, NOW) >= NOW + left - 60


def test_a_turn_that_leaves_the_queue_is_no_longer_counted() -> None:
    scheduler = Scheduler(lambda: 1, FakeTime())
    with scheduler.place(NOW + HOUR, 5.0):
        assert scheduler.waiting == 1
    assert scheduler.waiting == 0
