"""Deadlines by name: at most one pending call per key, owned here, with failures logged."""

import asyncio
import heapq
import math
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from itertools import count

import structlog

from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource

LONGEST_SLEEP_S = 3600.0
RETRY_S = 1.0
STALE_AT_LEAST = 64
"""At least this many replaced alarms may remain in the queue before it is rebuilt."""

log = structlog.get_logger()

Ring = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Alarm:
    at: float
    number: int
    ring: Ring


class Alarms:
    """Calls `ring` when `time.monotonic()` reaches `at`, unless the alarm is cleared or replaced.

    One task waits for the earliest alarm, because each turn replaces an alarm, usually by a later
    one. A ring that raises is logged, counted in `failures` and repeated after a second, so that no
    deadline of a game is lost.
    """

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._pending: dict[Hashable, _Alarm] = {}
        self._queue: list[tuple[float, int, Hashable]] = []
        self._numbers = count()
        self._waiting: asyncio.Task[None] | None = None
        self._wakes_at = math.inf
        self._ringing = OwnedTasks("alarm_failed")
        self._is_closed = False
        self.failures = 0

    def set(self, key: Hashable, at: float, ring: Ring) -> None:
        """Set the alarm of that key, or replace it. After `close` this does nothing."""
        if self._is_closed:
            return
        alarm = self._pending[key] = _Alarm(at, next(self._numbers), ring)
        heapq.heappush(self._queue, (at, alarm.number, key))
        if len(self._queue) > STALE_AT_LEAST + 2 * len(self._pending):
            self._clear_away()
        if at < self._wakes_at:
            self._wait_again()

    def clear(self, key: Hashable) -> None:
        """Remove the alarm of that key. A ring that has started continues."""
        self._pending.pop(key, None)

    async def close(self) -> None:
        """Remove all alarms, and wait for the rings that have started."""
        self._is_closed = True
        self._pending.clear()
        if self._waiting is not None:
            self._waiting.cancel()
        await self._ringing.wait()

    def _clear_away(self) -> None:
        self._queue = [(each.at, each.number, key) for key, each in self._pending.items()]
        heapq.heapify(self._queue)

    def _wait_again(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._wakes_at = self._queue[0][0]
        self._waiting = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while self._queue:
            at, number, key = self._queue[0]
            alarm = self._pending.get(key)
            if alarm is None or alarm.number != number:
                heapq.heappop(self._queue)
            elif (left := at - self._time.monotonic()) > 0:
                self._wakes_at = at
                await self._time.sleep(min(left, LONGEST_SLEEP_S))
            else:
                heapq.heappop(self._queue)
                del self._pending[key]
                self._begin(key, alarm.ring)
        self._wakes_at, self._waiting = math.inf, None

    def _begin(self, key: Hashable, ring: Ring) -> None:
        # In a separate task, so that replacing the waiting task cancels no ring.
        self._ringing.start(self._ring(key, ring))

    async def _ring(self, key: Hashable, ring: Ring) -> None:
        try:
            await ring()
        except Exception:
            self.failures += 1
            log.exception("alarm_failed", alarm=str(key), retry_s=RETRY_S)
            if key not in self._pending:
                self.set(key, self._time.monotonic() + RETRY_S, ring)
