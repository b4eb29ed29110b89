"""A clock that moves only when a test says so."""

import asyncio
import heapq
import math
from datetime import UTC, datetime, timedelta
from itertools import count

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class FakeTime:
    """A `bot.time_source.TimeSource`; `advance` wakes sleepers in order, letting them run."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._wall_ahead = timedelta()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()

    def monotonic(self) -> float:
        return self._now

    def wall(self) -> datetime:
        return EPOCH + timedelta(seconds=self._now - 1000.0) + self._wall_ahead

    def step_wall(self, seconds: float) -> None:
        """Set the time of day, as an operator or a time server may; nothing else changes."""
        self._wall_ahead += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # However short, it takes some time: who finds that a little is left would ask for ever.
        wakes_at = max(self._now + seconds, math.nextafter(self._now, math.inf))
        heapq.heappush(self._sleepers, (wakes_at, next(self._order), future))
        await future

    @property
    def sleepers(self) -> int:
        return sum(not future.done() for _, _, future in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Let `seconds` pass, waking every sleeper whose time comes on the way."""
        end = self._now + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            at, _, future = heapq.heappop(self._sleepers)
            self._now = max(self._now, at)
            if not future.done():
                future.set_result(None)
            await self.settle()
        self._now = end
        await self.settle()

    def lapse(self, seconds: float) -> None:
        """Let `seconds` pass while nobody else can run, as in a long computation."""
        self._now += seconds

    async def jump(self, seconds: float) -> None:
        """Let `seconds` pass before anybody runs: who slept for less is woken late."""
        self.lapse(seconds)
        await self.advance(0)

    @staticmethod
    async def settle(rounds: int = 20) -> None:
        """Let tasks that are ready run."""
        for _ in range(rounds):
            await asyncio.sleep(0)
