"""Deadlines by name."""

import pytest

from bot.arena.arena_clock import ArenaClock
from bot.runtime.alarms import Alarms, Ring
from tests.fakes.time import FakeTime


class Bell:
    def __init__(self, failures: int = 0) -> None:
        self.rings = 0
        self.failures = failures

    async def ring(self) -> None:
        self.rings += 1
        if self.rings <= self.failures:
            raise OSError("the disk is full")


async def test_an_alarm_rings_once_at_its_time() -> None:
    time, bell = FakeTime(), Bell()
    alarms = Alarms(time)
    alarms.set("a", time.monotonic() + 5000, bell.ring)
    await time.advance(4999)
    assert bell.rings == 0
    await time.advance(1)
    assert bell.rings == 1
    await time.advance(10_000)
    assert bell.rings == 1


async def test_a_new_alarm_replaces_the_old_one_of_its_key() -> None:
    time, old, new = FakeTime(), Bell(), Bell()
    alarms = Alarms(time)
    alarms.set("a", time.monotonic() + 5, old.ring)
    alarms.set("a", time.monotonic() + 9, new.ring)
    await time.advance(20)
    assert (old.rings, new.rings) == (0, 1)


async def test_a_cleared_alarm_does_not_ring() -> None:
    time, bell = FakeTime(), Bell()
    alarms = Alarms(time)
    alarms.set("a", time.monotonic() + 5, bell.ring)
    alarms.clear("a")
    await time.advance(20)
    assert bell.rings == 0


async def test_a_ring_that_fails_is_tried_again() -> None:
    time, bell = FakeTime(), Bell(failures=2)
    alarms = Alarms(time)
    alarms.set("a", time.monotonic() + 5, bell.ring)
    await time.advance(5)
    assert bell.rings == 1
    await time.advance(10)
    assert bell.rings == 3
    assert alarms.failures == 2


async def test_nothing_rings_after_the_end() -> None:
    time, bell = FakeTime(), Bell()
    alarms = Alarms(time)
    alarms.set("a", time.monotonic() + 5, bell.ring)
    await alarms.close()
    alarms.set("b", time.monotonic() + 5, bell.ring)
    await time.advance(20)
    assert bell.rings == 0


async def test_alarms_ring_in_their_order_however_they_were_set() -> None:
    time, order = FakeTime(), list[str]()
    alarms, start = Alarms(time), time.monotonic()

    def noting(name: str) -> Ring:
        async def ring() -> None:
            order.append(name)

        return ring

    for name, at in (("c", 9), ("a", 2), ("d", 12), ("b", 5)):
        alarms.set(name, start + at, noting(name))
    alarms.set("d", start + 3, noting("d"))
    await time.advance(20)
    assert order == ["a", "d", "b", "c"]


async def test_an_alarm_that_every_turn_replaces_leaves_no_garbage() -> None:
    time, bell = FakeTime(), Bell()
    alarms = Alarms(time)
    for turn in range(10_000):
        alarms.set("game", time.monotonic() + 300 + turn % 7, bell.ring)
    assert len(alarms._queue) < 200
    await time.advance(400)
    assert bell.rings == 1


async def test_an_alarm_rings_at_a_moment_that_the_time_beneath_cannot_show() -> None:
    """The arena's clock has smaller numbers than the time that it goes by, and so finer steps."""
    time, rings = FakeTime(), list[float]()
    clock = ArenaClock(time)
    alarms = Alarms(clock)

    async def ring() -> None:
        rings.append(clock.monotonic())

    moments = [number / 1000 for number in range(1, 20)]
    for at in moments:
        alarms.set(at, at, ring)
    await time.advance(1)
    assert rings == pytest.approx(moments)
