"""Places for work, shared fairly between keys, such as the addresses of clients.

A key that asks for a hundred places delays another key by one piece of work, not by a hundred.
"""

import asyncio
import math
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class NoRoom(Exception):
    """Too much work of this key waits already."""


class FairPlaces:
    """At most `places` pieces of work run at once, and at most `of_each` of one key.

    Further ones wait, at most `waiting` of one key. Keys with waiting work take turns.
    """

    def __init__(
        self, places: float = math.inf, of_each: float = math.inf, waiting: float = math.inf
    ) -> None:
        self._free = places
        self._of_each = of_each
        self._most_waiting = waiting
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def running(self) -> int:
        """How many pieces of work run now."""
        return self._running.total()

    def waiting_of(self, key: str) -> int:
        """How many pieces of work of that key wait."""
        return len(self._waiting.get(key, ()))

    @asynccontextmanager
    async def taken(self, key: str) -> AsyncIterator[None]:
        """Wait for a place, and have it within the block. Raises NoRoom."""
        await self.take(key)
        try:
            yield
        finally:
            self.give_back(key)

    async def take(self, key: str) -> None:
        """Wait for a place, and take it until `give_back`. Raises NoRoom."""
        if self._has_room(key) and key not in self._waiting:
            self._free -= 1
            self._running[key] += 1
            return
        if self.waiting_of(key) >= self._most_waiting:
            raise NoRoom
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(granted)
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self.give_back(key)
            else:
                self._forget(key, granted)
            raise

    def give_back(self, key: str) -> None:
        """End the use of a place; the next key in turn gets it."""
        self._free += 1
        self._running[key] -= 1
        if not self._running[key]:
            del self._running[key]
        self._grant()

    def _has_room(self, key: str) -> bool:
        return self._free > 0 and self._running[key] < self._of_each

    def _grant(self) -> None:
        for key in list(self._waiting):
            if self._free <= 0:
                return
            if self._has_room(key) and (granted := self._next_of(key)) is not None:
                self._free -= 1
                self._running[key] += 1
                granted.set_result(None)

    def _next_of(self, key: str) -> asyncio.Future[None] | None:
        """Take the first one of that key that still waits; another key is next in turn then."""
        waiting, found = self._waiting[key], None
        while waiting and found is None:
            first = waiting.popleft()
            # The task of a cancelled one has not run yet, and forgets it soon.
            found = None if first.cancelled() else first
        if waiting:
            self._waiting.move_to_end(key)
        else:
            del self._waiting[key]
        return found

    def _forget(self, key: str, granted: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(key)
        if waiting is None or granted not in waiting:
            return
        waiting.remove(granted)
        if not waiting:
            del self._waiting[key]
