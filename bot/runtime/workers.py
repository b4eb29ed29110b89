"""Threads for work that takes longer than the event loop may wait.

Problem. Replaying or encoding a long game takes milliseconds, and the answers to turns must not
wait for it. In threads without a limit, a flood of such requests takes the interpreter from the
event loop and from the requests of others.

Idea. There are two threads. The address of the client on whose behalf work is done is in a context
variable, because the work is done far below the request. An address has one thread at a time, and
addresses take turns, so that a flood delays another address by one piece of work.

Rejected: an argument with the address for each function on the way. It passes through services
that have nothing else to do with connections.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

from bot.runtime.fair_places import FairPlaces

THREADS: Final = 2
OF_AN_ADDRESS: Final = 1
"""The threads that work for one address at a time."""

P = ParamSpec("P")
T = TypeVar("T")

_address: ContextVar[str] = ContextVar("address", default="")


@contextmanager
def working_for(address: str) -> Iterator[None]:
    """Let work within the block be done on behalf of this address; "" is the arena itself."""
    token = _address.set(address)
    try:
        yield
    finally:
        _address.reset(token)


def worked_for() -> str:
    """The address on whose behalf the current task works."""
    return _address.get()


class Workers:
    """Runs functions in threads, fairly between addresses."""

    def __init__(self, threads: int = THREADS) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="arena-worker")
        self._places = FairPlaces(threads, OF_AN_ADDRESS)

    @property
    def running(self) -> int:
        """How many functions run, or have results that the event loop does not know yet."""
        return self._places.running

    def close(self) -> None:
        """Drop what has not begun; the last functions end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """What the function returns or raises.

        If the task is cancelled, a function that has not begun is dropped.
        """
        address = worked_for()
        await self._places.take(address)
        try:
            running = self._threads.submit(work, *args, **named)
        except BaseException:
            self._places.give_back(address)
            raise
        loop, result = asyncio.get_running_loop(), asyncio.wrap_future(running)
        # The place is free when the thread is, also if the task was cancelled meanwhile.
        running.add_done_callback(lambda _: self._give_back(loop, address))
        return await result

    def _give_back(self, loop: asyncio.AbstractEventLoop, address: str) -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._places.give_back, address)
