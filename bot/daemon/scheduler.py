"""Many games by correspondence on few engines: who is next, and for how long.

The game that is due first is next. Each wishes for a time that grows with its clock
(`bot.daemon.time_manager`); as the queue grows all wishes are cut by the same factor, as far as it
takes for everybody to be done when due, whatever the engines do in their time.
"""

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
"""How long an engine is busy with a turn at least, at worst."""
MARGIN_S: Final = 60.0
MARGIN_PART: Final = 0.1
"""A turn is due so long before its clock is out, or so much of what is left, whichever is less:
sending it takes time, and may have to be done again."""
OVERDUE_S: Final = 30.0
"""Whose clock is out already has nothing to lose: those who have come first, for so long."""
OVERDUE_WAIT_S: Final = 3600.0
"""And for an engine they can wait so long."""
HALVINGS: Final = 12


@dataclass(frozen=True, slots=True)
class Job:
    """A turn that waits: when it is `due` on the monotonic clock, and how long it would think."""

    due: float
    wish_s: float


def due_at(deadline: float, now: float) -> float:
    """When a turn is due whose clock is out at `deadline`, both on the monotonic clock."""
    spare = deadline - now - SHORTEST_S
    if spare < 0:
        return now + OVERDUE_S
    return deadline - min(MARGIN_S, MARGIN_PART * spare)


def think_s(job: Job, pace: float) -> float:
    """`pace` is 0 for the least time, 1 for all that was wished for."""
    return max(min(LEAST_S, job.wish_s), pace * job.wish_s)


def all_are_met(jobs: Sequence[Job], free_at: Sequence[float], pace: float) -> bool:
    """Whether every job is done when due, at worst, if they are begun in this order.

    `free_at` has for each engine when it is free.
    """
    engines = list(free_at)
    heapq.heapify(engines)
    for job in jobs:
        end = engines[0] + latest_s(think_s(job, pace))
        if end > job.due:
            return False
        heapq.heapreplace(engines, end)
    return True


def best_pace(jobs: Sequence[Job], free_at: Sequence[float]) -> float:
    """The greatest pace at which all are met; 0 also where they cannot be."""
    if all_are_met(jobs, free_at, 1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if all_are_met(jobs, free_at, middle) else (low, middle)
    return low


@dataclass(eq=False)
class Place:
    """One turn in the queue, or at an engine until `busy_until` at the latest."""

    scheduler: "Scheduler"
    job: Job
    latest: float
    """Until when an engine is waited for."""
    wanted: asyncio.Event = field(default_factory=asyncio.Event)
    busy_until: float | None = None

    @property
    def due(self) -> float:
        return self.job.due

    def begin(self) -> float:
        """An engine is there: for how many seconds it may think."""
        return self.scheduler.begin(self)

    def interrupted(self) -> None:
        """Back into the queue; whoever is interrupted again and again wishes for ever less."""
        self.job = Job(self.job.due, max(min(LEAST_S, self.job.wish_s), self.job.wish_s / 2))
        self.busy_until = None
        self.wanted.clear()


class Scheduler:
    """The queue for one kind of engine, of which `engines` can be at such turns at once."""

    def __init__(self, engines: Callable[[], int], time_source: TimeSource) -> None:
        self._engines = engines
        self._time = time_source
        self._places: list[Place] = []

    @contextmanager
    def place(self, deadline: float, wish_s: float) -> Iterator[Place]:
        """A place in the queue for a turn whose clock is out at `deadline`."""
        now = self._time.monotonic()
        due = due_at(deadline, now)
        if due > deadline:
            place = Place(self, Job(due, min(wish_s, LEAST_S)), now + OVERDUE_WAIT_S)
        else:
            place = Place(self, Job(due, wish_s), due)
        self._places.append(place)
        self._make_room(now)
        try:
            yield place
        finally:
            self._places.remove(place)

    def begin(self, place: Place) -> float:
        """See `Place.begin`."""
        now = self._time.monotonic()
        queue = [place.job, *(each.job for each in self._waiting() if each is not place)]
        others = [each for each in self._running() if each is not place]
        seconds = think_s(place.job, best_pace(queue, [now, *self._free_at(others, now, 1)]))
        place.busy_until = now + latest_s(seconds)
        return seconds

    @property
    def waiting(self) -> int:
        return len(self._waiting())

    def _waiting(self) -> list[Place]:
        waiting = (each for each in self._places if each.busy_until is None)
        return sorted(waiting, key=lambda each: each.due)

    def _running(self) -> list[Place]:
        return [each for each in self._places if each.busy_until is not None]

    def _free_at(self, running: Sequence[Place], now: float, taken: int) -> list[float]:
        """For each engine but those `taken` when it is free."""
        ends = [
            now if each.wanted.is_set() else max(now, each.busy_until or now) for each in running
        ]
        return ends + [now] * (self._engines() - taken - len(ends))

    def _make_room(self, now: float) -> None:
        """Have long searches broken off, where others could not be met after them."""
        running = sorted(self._running(), key=lambda each: each.due)
        queue = [each.job for each in self._waiting()]
        while running and not all_are_met(queue, self._free_at(self._running(), now, 0), 0.0):
            last = running.pop()
            if last.due > queue[0].due:
                last.wanted.set()
