"""A clock for tests: that of the simulated event loop, or one that moves only when told."""

import asyncio
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

from bot.runtime.simulated_time import SimulatedLoop

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
BEGIN_S = 1000.0
SHORTEST_S = 1e-9
"""However short, a sleep takes some time: who finds that a little is left would ask for ever."""


@dataclass(eq=False)
class _Sleeper:
    wakes_at: float
    order: int
    woken: asyncio.Future[None]
    timer: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        if not self.woken.done():
            self.woken.set_result(None)


class FakeTime:
    """A `bot.time_source.TimeSource` that starts when it is first used."""

    def __init__(self) -> None:
        self._loop: SimulatedLoop | None = None
        self._began = 0.0
        self._now = BEGIN_S
        self._wall_ahead = timedelta()
        self._sleepers = set[_Sleeper]()
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
        now, woken = self.monotonic(), asyncio.get_running_loop().create_future()
        wakes_at = max(now + seconds, math.nextafter(now, math.inf))
        sleeper = _Sleeper(wakes_at, next(self._order), woken)
        self._sleepers.add(sleeper)
        self._wind(sleeper)
        try:
            await woken
        finally:
            self._sleepers.remove(sleeper)
            if sleeper.timer is not None:
                sleeper.timer.cancel()

    @property
    def sleepers(self) -> int:
        return len(self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Let `seconds` pass, waking every sleeper whose time comes on the way."""
        if self._simulated() is not None:
            await self.settle()
            await asyncio.sleep(seconds)
            await self.settle()
            return
        end = self._now + seconds
        await self.settle()
        while sleepers := [each for each in self._sleepers if not each.woken.done()]:
            first = min(sleepers, key=lambda each: (each.wakes_at, each.order))
            if first.wakes_at > end:
                break
            self._now = max(self._now, first.wakes_at)
            first.wake()
            await self.settle()
        self._now = end
        await self.settle()

    def lapse(self, seconds: float) -> None:
        """Let `seconds` pass on this clock alone, while nobody who asks it can run.

        As in a long computation, or in a process that is stopped. Sleepers whose time comes
        meanwhile wake afterwards; deadlines of connections are not affected.
        """
        self._now += seconds
        for sleeper in sorted(self._sleepers, key=lambda each: each.order):
            self._wind(sleeper)

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

    def _wind(self, sleeper: _Sleeper) -> None:
        """Set the timer of a sleeper in the simulated loop."""
        loop = self._simulated()
        if loop is not None:
            if sleeper.timer is not None:
                sleeper.timer.cancel()
            left_s = sleeper.wakes_at - self.monotonic()
            if left_s > 0:
                sleeper.timer = loop.call_later(max(left_s, SHORTEST_S), sleeper.wake)
            else:
                loop.call_soon(sleeper.wake)
