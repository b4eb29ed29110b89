"""The arena's clock goes on from the last run, and can stand still."""

import asyncio

import pytest

from bot.arena.arena_clock import ArenaClock
from tests.fakes.time import FakeTime


async def test_the_clock_continues_where_the_last_run_stopped() -> None:
    time = FakeTime()
    clock = ArenaClock(time, 5000.0)
    assert clock.monotonic() == 5000.0
    await time.advance(3)
    assert clock.monotonic() == 5003.0


async def test_no_time_passes_while_the_clock_is_paused() -> None:
    time = FakeTime()
    clock = ArenaClock(time)
    await time.advance(2)
    clock.pause()
    await time.advance(100)
    assert (clock.monotonic(), clock.is_paused) == (2.0, True)
    clock.resume()
    await time.advance(1)
    assert (clock.monotonic(), clock.is_paused) == (3.0, False)


async def test_sleepers_are_not_woken_while_the_clock_is_paused() -> None:
    time = FakeTime()
    clock = ArenaClock(time)
    sleeper = asyncio.create_task(clock.sleep(5))
    clock.pause()
    await time.advance(10)
    assert not sleeper.done()
    clock.resume()
    await time.advance(5)
    assert sleeper.done()


async def test_time_in_which_the_process_was_stopped_does_not_count() -> None:
    time, stops = FakeTime(), list[float]()
    clock = ArenaClock(time)
    clock.on_stop.append(lambda: stops.append(clock.monotonic()))
    sleepers = asyncio.gather(*(clock.sleep(seconds) for seconds in (300, 86_400)))
    await time.advance(20.25)
    await time.jump(10_000)
    assert stops == [21.0]  # where the first of the sleepers should have been woken
    await time.advance(3)
    assert clock.monotonic() == 24.0
    sleepers.cancel()


async def test_a_delay_of_a_busy_machine_counts() -> None:
    time = FakeTime()
    clock = ArenaClock(time)
    sleeper = asyncio.create_task(clock.sleep(5))
    await time.settle()
    for _ in range(3):
        await time.jump(1.75)
    assert clock.monotonic() == 5.25
    assert sleeper.done()


async def test_a_process_stop_during_a_pause_is_subtracted_once() -> None:
    time = FakeTime()
    clock = ArenaClock(time, 100.0)
    sleeper = asyncio.create_task(clock.sleep(1.5))
    await time.advance(1)
    clock.pause()
    await time.jump(60)
    clock.resume()
    assert clock.monotonic() == 101.0
    await time.advance(0.5)
    assert sleeper.done()


async def test_the_time_in_which_no_clock_ran_is_known_and_never_decreases() -> None:
    time = FakeTime()
    clock = ArenaClock(time, 5000.0)
    found = [clock.stopped_s]
    await time.advance(20)
    found.append(clock.stopped_s)
    clock.pause()
    await time.advance(7.3)
    found.append(clock.stopped_s)
    clock.resume()
    await time.advance(0.1)
    found.append(clock.stopped_s)
    sleeper = asyncio.create_task(clock.sleep(5))
    await time.settle()
    await time.jump(1000)
    found.append(clock.stopped_s)
    sleeper.cancel()
    assert found == pytest.approx([0, 0, 7.3, 7.3, 1006.3])
    assert found == sorted(found)
