"""The arena's clock goes on from the last run, and can stand still."""

import asyncio

from bot.arena.service.arena_clock import ArenaClock
from tests.fakes.time import FakeTime


async def test_it_goes_on_where_the_last_run_stopped() -> None:
    time = FakeTime()
    clock = ArenaClock(time, 5000.0)
    assert clock.monotonic() == 5000.0
    await time.advance(3)
    assert clock.monotonic() == 5003.0


async def test_while_it_stands_no_time_passes() -> None:
    time = FakeTime()
    clock = ArenaClock(time)
    await time.advance(2)
    clock.stand()
    await time.advance(100)
    assert (clock.monotonic(), clock.stands) == (2.0, True)
    clock.go_on()
    await time.advance(1)
    assert (clock.monotonic(), clock.stands) == (3.0, False)


async def test_who_sleeps_is_not_woken_while_it_stands() -> None:
    time = FakeTime()
    clock = ArenaClock(time)
    sleeper = asyncio.create_task(clock.sleep(5))
    clock.stand()
    await time.advance(10)
    assert not sleeper.done()
    clock.go_on()
    await time.settle()
    assert sleeper.done()
