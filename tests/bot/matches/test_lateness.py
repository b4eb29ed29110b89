"""How late the host is."""

import asyncio

from bot.matches.lateness import Lateness
from tests.fakes.time import FakeTime


async def test_only_delays_since_a_moment_are_told() -> None:
    time = FakeTime()
    lateness = Lateness(time)
    watching = asyncio.create_task(lateness.watch())
    await time.advance(1)
    assert lateness.worst_ms(0) == 0
    await time.jump(0.32)
    assert 300 <= lateness.worst_ms(0) <= 320
    await time.advance(1)
    assert lateness.worst_ms(time.monotonic() - 0.5) == 0
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
