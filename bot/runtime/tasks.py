"""Tasks with an owner: with a deadline, in a race, a few at once, or in the background.

Each function here cancels the tasks that it started, and waits for them, before it returns.
"""

import asyncio
import itertools
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import structlog

from bot.errors import first_error
from bot.time_source import TimeSource

T = TypeVar("T")


class BlockInterrupted(Exception):
    """The block was interrupted."""


class Overtaken(Exception):
    """The other work ended first."""


async def unless_overtaken(work: Coroutine[Any, Any, T], by: Coroutine[Any, Any, object]) -> T:
    """Return what `work` returns, or raise Overtaken if `by` ends before it.

    If both have ended, `work` counts. Raises what the one that counts raises.
    """
    task, other = asyncio.create_task(work), asyncio.create_task(by)
    try:
        await asyncio.wait((task, other), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        other.result()
        raise Overtaken
    finally:
        await cancelled(task, other)


class Interruption:
    """Interrupts a block of another task, which then raises Interrupted; the task goes on.

    Nothing happens while there is no block.
    """

    def __init__(self) -> None:
        self._limit: asyncio.Timeout | None = None

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[None]:
        """A block that can be interrupted, one at a time."""
        limit = self._limit = asyncio.timeout(None)
        try:
            async with limit:
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            raise BlockInterrupted from None
        finally:
            self._limit = None

    def interrupt(self) -> None:
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time())


def never() -> float:
    """Return infinity: by default `within` has no later deadline."""
    return -math.inf


async def within(
    time: TimeSource,
    seconds: float,
    work: Coroutine[Any, Any, T],
    extended_to: Callable[[], float] = never,
) -> T:
    """Return what `work` returns. Raises TimeoutError, with `work` cancelled, after `seconds`.

    When the deadline passes, `extended_to` may return a later one, by `time.monotonic()`. Unlike
    `asyncio.timeout`, it measures by an injected clock.
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
        await cancelled(task)


async def _is_done_by(time: TimeSource, deadline: float, task: asyncio.Task[T]) -> bool:
    alarm = asyncio.create_task(time.sleep(deadline - time.monotonic()))
    try:
        await asyncio.wait((task, alarm), return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        await cancelled(alarm)


async def result_of(future: "asyncio.Future[T]") -> T:
    """Wait for a future, as a coroutine. Cancelling the coroutine cancels the future."""
    return await future


async def cancelled(*tasks: "asyncio.Future[Any]") -> None:
    """Cancel the tasks and return when all have ended. Their results and failures are dropped."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def a_few_at_once(
    items: Iterable[T],
    do: Callable[[T], Awaitable[object]],
    *,
    at_once: int,
    on_progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Do something with every item, `at_once` at a time; `on_progress` gets how many are done.

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
        raise first_error(failures) from None


class OwnedTasks:
    """Tasks in the background, each referenced until it ends; asyncio itself does not keep them.

    A failure is logged as the event `failure_event`, with `facts`, unless it is an `expected` one.
    """

    def __init__(
        self,
        failure_event: str,
        expected: type[Exception] | tuple[type[Exception], ...] = (),
        **facts: object,
    ) -> None:
        self._failure_event = failure_event
        self._expected = expected
        self._facts = facts
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        self.create_task(work)  # type: ignore[unused-awaitable]

    def create_task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Like `start`, for a caller that also waits for the result."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def wait(self) -> None:
        """Return when all tasks that run now have ended."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def cancel(self) -> None:
        """Cancel all tasks, and return when they have ended."""
        await cancelled(*self._tasks)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, self._expected):
            structlog.get_logger().error(self._failure_event, exc_info=error, **self._facts)
