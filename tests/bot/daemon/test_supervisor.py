"""The supervisor: who fails is begun again, soon if it had run well."""

import asyncio
from typing import cast

from bot.daemon.identity import Identity
from bot.daemon.status import IdentityStatus
from bot.daemon.supervisor import STEADY_S, Supervisor
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


class Fragile:
    """An identity that fails when it is told to."""

    label = "arena"

    def __init__(self, time: FakeTime) -> None:
        self.status = IdentityStatus()
        self.began: list[float] = []
        self._time = time
        self._failure = asyncio.Event()

    async def run(self) -> None:
        self.began.append(self._time.monotonic())
        await self._failure.wait()
        self._failure.clear()
        raise ExceptionGroup("what a task group raises", [RuntimeError("a bug")])

    async def fail(self) -> float:
        """Seconds until it is begun again."""
        times, now = len(self.began), self._time.monotonic()
        self._failure.set()
        await eventually(lambda: self._time.sleepers > 0)
        while len(self.began) == times:
            await self._time.advance(0.5)
        return self.began[-1] - now


async def test_the_waits_grow_and_begin_again_after_it_ran_well() -> None:
    time = FakeTime()
    fragile = Fragile(time)
    supervisor = Supervisor([cast("Identity", fragile)], {}, [], time, drain_s=1)
    running = asyncio.create_task(supervisor.run(asyncio.Event()))
    try:
        await eventually(lambda: bool(fragile.began))
        waits = [await fragile.fail() for _ in range(10)]
        assert waits[-1] > 100 * waits[0]
        assert max(waits) <= 300
        await time.advance(STEADY_S)
        assert await fragile.fail() <= 1
    finally:
        running.cancel()
        await asyncio.wait({running})
