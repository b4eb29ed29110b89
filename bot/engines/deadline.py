"""Deadlines by an injected clock."""

import asyncio
import math
from collections.abc import Callable, Coroutine
from typing import TypeVar

from bot.time_source import TimeSource

T = TypeVar("T")


def never() -> float:
    """No deadline at all, as what extends another one."""
    return -math.inf


async def within(
    time: TimeSource,
    seconds: float,
    work: Coroutine[object, object, T],
    extended_to: Callable[[], float] = never,
) -> T:
    """What `work` returns, or TimeoutError, with `work` cancelled, after `seconds`.

    When the deadline passes, `extended_to` may return a later one, by `time.monotonic()`.
    """
    task = asyncio.create_task(work)
    deadline = time.monotonic() + seconds
    try:
        while not await _is_done_by(time, deadline, task):
            later = extended_to()
            if later <= deadline:
                raise TimeoutError
            deadline = later
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _is_done_by(time: TimeSource, deadline: float, task: asyncio.Task[T]) -> bool:
    alarm = asyncio.create_task(time.sleep(deadline - time.monotonic()))
    try:
        await asyncio.wait((task, alarm), return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        alarm.cancel()
        await asyncio.gather(alarm, return_exceptions=True)


async def result_of(task: "asyncio.Task[T]") -> T:
    """The task as work; cancelling this cancels it."""
    return await task
