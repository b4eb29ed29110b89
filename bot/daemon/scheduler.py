"""Many games by correspondence on few engines: the order of turns, and their thinking times."""

# Problem. A bot may have hundreds of games by correspondence and one engine process. Each turn has
# a deadline: its clock. Longer thinking is stronger play, but an engine that is busy with one turn
# may let the clock of another run out. Turns arrive at any time, engines crash and come back, and
# an engine may take longer than it was asked to.
#
# Idea. Earliest due date first, with one common factor for all thinking times:
#
# - Each turn is due somewhat before its clock runs out (`due_at`). The queue is sorted by that.
# - Each turn wishes for a time that grows with its clock (`bot.daemon.time_manager`).
# - When a turn gets an engine, the whole queue is planned over the engines, each turn with the
#   longest time that its engine can take (`latest_s`). `best_pace` finds by bisection the greatest
#   factor between 0 and 1 for which every turn of that plan is done when due.
# - Only the turn that starts uses the factor. The next one plans again, with what is known then: an
#   engine that finished early leaves its time to the others.
# - A turn that arrives while all engines are busy may be due before a long search ends. If the plan
#   fails even with the least times, the running turns that are due last are interrupted first
#   (`_make_room`). They return to the queue and wish for half as much each time, so that a turn
#   that is interrupted repeatedly still ends.
# - A turn whose clock has run out, or nearly, gets the least time and is due after `OVERDUE_S`: the
#   server may still accept it, and it must not displace a turn that can be saved.
#
# Turns of live games have a queue of the same kind beside it. The pool serves them first. A live
# turn is due after its even share of the clock, at most after 20 s. When all turns cannot be done
# by then, each gets the least time, and waits as long as its clock allows.
#
# Rejected:
#
# - First come, first served: a long search would run before a turn that is due in a minute.
# - A fixed time per turn: it wastes engines while few turns wait and loses games when many do.
# - Cutting only the turns at the end of the queue: the same games would always be played badly.
# - Slices of time in turn for all games: an engine searches one position at a time, and all turns
#   would be finished late instead of one after another.
# - A plan that is kept and repaired: planning costs 13 passes over the queue at most, and a new
#   plan needs no rules for engines that crash, come back, or finish early.

import asyncio
import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from bot.daemon.time_manager import LEAST_CORRESPONDENCE_MS, latest_s
from bot.time_source import TimeSource

LEAST_S: Final = LEAST_CORRESPONDENCE_MS / 1000
SHORTEST_S: Final = latest_s(LEAST_S)
"""The longest time that an engine can be busy with a turn of the least time."""
MARGIN_S: Final = 60.0
MARGIN_PART: Final = 0.1
"""A turn is due this long before its clock runs out, or this part of the remaining time if that is
less.

Sending takes time, and may need a second attempt.
"""
OVERDUE_S: Final = 30.0
"""Seconds after joining the queue when a turn is due whose clock has run out, or nearly."""
OVERDUE_WAIT_S: Final = 3600.0
"""The maximal number of seconds for which such a turn waits for an engine."""
BusyTime = Callable[[float], float]
"""The seconds for which an engine is busy with a turn of so many seconds."""
HALVINGS: Final = 12
"""Steps of the bisection of `best_pace`."""


@dataclass(frozen=True, slots=True)
class Job:
    """A turn that waits: when it is `due` (monotonic), and its desired thinking time."""

    due: float
    wish_s: float


def due_at(deadline: float, now: float) -> float:
    """Return when a turn is due whose clock runs out at `deadline`. All moments are monotonic."""
    spare = deadline - now - SHORTEST_S
    if spare < 0:
        return now + OVERDUE_S
    return deadline - min(MARGIN_S, MARGIN_PART * spare)


def live_s(think_s: float) -> float:
    """Return how long an engine is usually busy with a turn of `think_s` seconds.

    Between when a live turn is due and when its clock runs out there is time for an engine that is
    slower than that.
    """
    return 1.05 * think_s + 0.25


def think_s(job: Job, pace: float) -> float:
    """Return the seconds for a job at that pace: 0 for the least time, 1 for the desired time."""
    return max(min(LEAST_S, job.wish_s), pace * job.wish_s)


def all_are_met(
    jobs: Sequence[Job], free_at: Sequence[float], pace: float, busy_s: BusyTime = latest_s
) -> bool:
    """Return whether every job is done when due, if the jobs start in this order.

    `free_at` has for each engine the moment at which it becomes free. `busy_s` is how long it is
    busy, at worst by default.
    """
    engines = list(free_at)
    heapq.heapify(engines)
    for job in jobs:
        end = engines[0] + busy_s(think_s(job, pace))
        if end > job.due:
            return False
        heapq.heapreplace(engines, end)
    return True


def best_pace(jobs: Sequence[Job], free_at: Sequence[float], busy_s: BusyTime = latest_s) -> float:
    """Return the greatest pace at which every job is done when due; 0 also if there is none."""
    if all_are_met(jobs, free_at, 1.0, busy_s):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_met = all_are_met(jobs, free_at, middle, busy_s)
        low, high = (middle, high) if is_met else (low, middle)
    return low


@dataclass(eq=False)
class QueuePlace:
    """One turn in the queue, or on an engine until `busy_until` at the latest.

    `wanted` is set when its engine is needed for another turn.
    """

    scheduler: "Scheduler"
    job: Job
    latest: float
    """The moment until which the turn waits for an engine."""
    is_live: bool = False
    wanted: asyncio.Event = field(default_factory=asyncio.Event)
    busy_until: float | None = None

    @property
    def due(self) -> float:
        return self.job.due

    def begin(self) -> float:
        """Take an engine, and return the seconds for which it may think."""
        return self.scheduler.begin(self)

    def interrupted(self) -> None:
        """Return to the queue, with half of the desired time."""
        self.job = Job(self.job.due, max(min(LEAST_S, self.job.wish_s), self.job.wish_s / 2))
        self.busy_until = None
        self.wanted.clear()


class Scheduler:
    """The queue for one kind of engine.

    `engines` returns how many of its processes may work on games by correspondence at once.
    """

    def __init__(self, engines: Callable[[], int], time_source: TimeSource) -> None:
        self._engines = engines
        self._time = time_source
        self._places: list[QueuePlace] = []
        self._live: list[QueuePlace] = []

    @contextmanager
    def place(self, deadline: float, wish_s: float) -> Iterator[QueuePlace]:
        """Hold a place in the queue for a turn whose clock runs out at `deadline` (monotonic).

        `wish_s` is its desired thinking time.
        """
        now = self._time.monotonic()
        due = due_at(deadline, now)
        if due > deadline:
            place = QueuePlace(self, Job(due, min(wish_s, LEAST_S)), now + OVERDUE_WAIT_S)
        else:
            place = QueuePlace(self, Job(due, wish_s), due)
        self._places.append(place)
        self._make_room(now)
        try:
            yield place
        finally:
            self._places.remove(place)

    @contextmanager
    def live_place(self, due_s: float, latest_s: float, wish_s: float) -> Iterator[QueuePlace]:
        """Hold a place for a turn of a live game that is due in `due_s` seconds.

        If need be it waits for `latest_s`. It is not due before it can be done alone.
        """
        now = self._time.monotonic()
        due = now + max(due_s, live_s(wish_s))
        place = QueuePlace(self, Job(due, wish_s), now + latest_s, is_live=True)
        self._live.append(place)
        try:
            yield place
        finally:
            self._live.remove(place)

    def begin(self, place: QueuePlace) -> float:
        """See `Place.begin`."""
        now, busy_s = self._time.monotonic(), live_s if place.is_live else latest_s
        places = self._live if place.is_live else self._places
        waiting = [each.job for each in _waiting(places) if each is not place]
        others = [each for each in _running(places) if each is not place]
        free_at = [now, *self._free_at(others, now, 1)]
        seconds = think_s(place.job, best_pace([place.job, *waiting], free_at, busy_s))
        place.busy_until = now + busy_s(seconds)
        return seconds

    @property
    def waiting(self) -> int:
        """How many turns by correspondence wait."""
        return len(_waiting(self._places))

    @property
    def live_waiting(self) -> int:
        """How many live turns wait."""
        return len(_waiting(self._live))

    def _free_at(self, running: Sequence[QueuePlace], now: float, taken: int) -> list[float]:
        """Return the moments at which engines become free, without those that are `taken`."""
        ends = [
            now if each.wanted.is_set() else max(now, each.busy_until or now) for each in running
        ]
        return ends + [now] * (self._engines() - taken - len(ends))

    def _make_room(self, now: float) -> None:
        """Interrupt long searches after which a waiting turn would be late."""
        running = sorted(_running(self._places), key=lambda each: each.due)
        queue = [each.job for each in _waiting(self._places)]
        while running and not all_are_met(
            queue, self._free_at(_running(self._places), now, 0), 0.0
        ):
            last = running.pop()
            if last.due > queue[0].due:
                last.wanted.set()


def _waiting(places: Sequence[QueuePlace]) -> list[QueuePlace]:
    waiting = (each for each in places if each.busy_until is None)
    return sorted(waiting, key=lambda each: each.due)


def _running(places: Sequence[QueuePlace]) -> list[QueuePlace]:
    return [each for each in places if each.busy_until is not None]
