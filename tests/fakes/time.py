"""A clock for tests: that of the simulated event loop, or one that moves only when told."""

import asyncio
import heapq
import math
from datetime import UTC, datetime, timedelta
from itertools import count

from bot.runtime.simulated_time import SimulatedLoop

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
BEGIN_S = 1000.0
SHORTEST_S = 1e-9
"""However short, a sleep takes some time: who finds that a little is left would ask for ever."""


class FakeTime:
    """A `bot.time_source.TimeSource` that starts when it is first used."""

    def __init__(self) -> None:
        self._loop: SimulatedLoop | None = None
        self._began = 0.0
        self._now = BEGIN_S
        self._wall_ahead = timedelta()
        self._sleeping = 0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()

    def monotonic(self) -> float:
        loop = self._simulated()
        return self._now if loop is None else self._now + loop.time() - self._began

    def wall(self) -> datetime:
        return EPOCH + timedelta(seconds=self.monotonic() - BEGIN_S) + self._wall_ahead

    def step_wall(self, seconds: float) -> None:
        """Set the time of day, as an operator or a time server may; nothing else changes."""
        self._wall_ahead += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        self._sleeping += 1
        try:
            if self._simulated() is not None:
                await asyncio.sleep(max(seconds, SHORTEST_S))
            else:
                await self._until_advanced(seconds)
        finally:
            self._sleeping -= 1

    @property
    def sleepers(self) -> int:
        return self._sleeping

    async def advance(self, seconds: float) -> None:
        """Let `seconds` pass, waking every sleeper whose time comes on the way."""
        if self._simulated() is not None:
            await self.settle()
            await asyncio.sleep(seconds)
            await self.settle()
            return
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
        loop = self._simulated()
        if loop is None:
            self._now += seconds
        else:
            loop.lapse(seconds)

    async def jump(self, seconds: float) -> None:
        """Let `seconds` pass before anybody runs: who slept for less is woken late."""
        self.lapse(seconds)
        await self.advance(0)

    @staticmethod
    async def settle(rounds: int = 20) -> None:
        """Wait until all that can happen without time passing has happened."""
        loop = asyncio.get_running_loop()
        if isinstance(loop, SimulatedLoop):
            await loop.quiet()
            return
        for _ in range(rounds):
            await asyncio.sleep(0)

    def _simulated(self) -> SimulatedLoop | None:
        """The simulated loop, from the first moment on at which this is used in one."""
        if self._loop is None:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                return None
            if isinstance(loop, SimulatedLoop):
                self._loop, self._began = loop, loop.time()
        return self._loop

    async def _until_advanced(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        wakes_at = max(self._now + seconds, math.nextafter(self._now, math.inf))
        heapq.heappush(self._sleepers, (wakes_at, next(self._order), future))
        await future
