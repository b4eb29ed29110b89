"""A calendar of actions: the stand-in's only notion of time, in milliseconds that are passed in."""

import heapq
import itertools
from collections.abc import Callable

Action = Callable[[int], None]
"""Called with the moment for which it was scheduled."""


class Agenda:
    """Actions by their moments. Those of one moment run in the order in which they were added."""

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
        """Run all actions that are due by `now`, including those that are added in the process."""
        while self._waiting and self._waiting[0][0] <= now:
            due, _, action = heapq.heappop(self._waiting)
            action(due)
