"""What is to happen when: the stand-in's only idea of time, in milliseconds passed in."""

import heapq
import itertools
from collections.abc import Callable

Action = Callable[[int], None]
"""Is called with the moment for which it was put down."""


class Agenda:
    """Actions by their moments; those of one moment in the order in which they were put down."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, Action]] = []
        self._order = itertools.count()

    def at(self, due: int, action: Action) -> None:
        heapq.heappush(self._waiting, (due, next(self._order), action))

    @property
    def next_due(self) -> int | None:
        """The moment of the next action; None if there is none."""
        return self._waiting[0][0] if self._waiting else None

    def advance(self, now: int) -> None:
        """Do all that is due by `now`, also what comes up meanwhile."""
        while self._waiting and self._waiting[0][0] <= now:
            due, _, action = heapq.heappop(self._waiting)
            action(due)
