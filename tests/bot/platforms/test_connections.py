"""How a platform connects again after a loss, and when a server counts as silent."""

import asyncio
import random
from typing import NoReturn

import pytest

from bot.platforms.base import Disconnected, NoAnswer, NotNow, PlatformEvent
from bot.platforms.connections import STEADY_S, ConnectionLost, Reconnection, Silence
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


def reconnection(time: FakeTime) -> Reconnection:
    return Reconnection("http://server", 1.0, 30.0, time, random.Random(1))


async def pause_s(time: FakeTime, again: Reconnection, loss: Exception, began: float) -> float:
    """How long it pauses after that loss."""
    before = time.monotonic()
    pausing = asyncio.create_task(again.pause(loss, began, at_most_s=3.0))
    while not pausing.done():
        await time.advance(0.25)
    return time.monotonic() - before


async def test_pauses_grow_until_a_connection_lasts() -> None:
    time = FakeTime()
    again, lost = reconnection(time), ConnectionLost("cut")
    pauses = [await pause_s(time, again, lost, time.monotonic()) for _ in range(4)]
    assert pauses == sorted(pauses)
    assert again.attempts == 4
    assert await pause_s(time, again, lost, time.monotonic() - STEADY_S) <= 1.0
    assert again.attempts == 1


@pytest.mark.parametrize("loss", [ConnectionLost("full", 20.0), NotNow("full", "full", 20.0)])
async def test_the_server_may_request_a_longer_pause(loss: Exception) -> None:
    time = FakeTime()
    assert await pause_s(time, reconnection(time), loss, time.monotonic()) == 20.0


async def test_every_loss_and_every_interruption_is_reported() -> None:
    time, told = FakeTime(), list[PlatformEvent]()
    losses = [ConnectionLost("cut"), NoAnswer("silent"), None]
    again = reconnection(time)

    async def connect() -> NoReturn:
        if (loss := losses.pop(0)) is not None:
            raise loss
        await asyncio.Event().wait()
        raise AssertionError

    async def sink(event: PlatformEvent) -> None:
        told.append(event)

    keeping = asyncio.create_task(again.keep(connect, sink))
    try:
        while losses:
            await time.advance(1.0)
        losses.append(None)
        again.interrupt()
        await eventually(lambda: len(told) >= 3)
    finally:
        keeping.cancel()
        await asyncio.wait({keeping})
    assert told == [
        Disconnected("cut"),
        Disconnected("no_answer: silent"),
        Disconnected("the bot makes a new connection"),
    ]


def test_a_server_is_overdue_after_the_allowed_silence() -> None:
    time = FakeTime()
    silence = Silence(time, 30.0)
    assert (silence.last_heard, silence.overdue_s) == (None, 0.0)
    silence.begin()
    time.lapse(31)
    silence.begin()
    assert silence.overdue_s == 1.0
    silence.heard()
    assert (silence.last_heard, silence.overdue_s) == (time.monotonic(), -30.0)
