"""Runs a coroutine for many items, a limited number of them at a time."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

AT_ONCE: Final = 20

T = TypeVar("T")


async def a_few_at_once(
    items: Iterable[T],
    do: Callable[[T], Awaitable[object]],
    on_progress: Callable[[int], None] = lambda _: None,
    at_once: int = AT_ONCE,
) -> None:
    """Do something with every item; `on_progress` gets how many are done.

    If one fails, the others are cancelled, and its exception is raised.
    """
    waiting, done = iter(items), itertools.count(1)

    async def one_after_the_other() -> None:
        for item in waiting:
            await do(item)
            on_progress(next(done))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(one_after_the_other())
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
