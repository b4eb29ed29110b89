"""Deadlines by an injected clock."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from bot.time_source import TimeSource

T = TypeVar("T")


async def within(time: TimeSource, seconds: float, work: Coroutine[object, object, T]) -> T:
    """What `work` returns, or TimeoutError, with `work` cancelled, after `seconds`."""
    task = asyncio.create_task(work)
    alarm = asyncio.create_task(time.sleep(seconds))
    try:
        await asyncio.wait((task, alarm), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise TimeoutError
    finally:
        for each in (task, alarm):
            each.cancel()
        await asyncio.gather(task, alarm, return_exceptions=True)


async def result_of(task: "asyncio.Task[T]") -> T:
    """The task as work; cancelling this cancels it."""
    return await task
