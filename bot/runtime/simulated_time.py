"""Time that passes only while nothing is ready to run: weeks of play in minutes.

The event loop itself has the simulated clock. So sleeps, deadlines of asyncio and the times of day
all agree, and the loop's own heap of timers is the only one. The clock jumps to the next timer when
two things hold: nothing in the loop is ready to run, which is when asyncio asks its selector to
wait; and no job runs in a thread, such as a transaction. Jobs are counted where all of them pass,
in `run_in_executor`. So work takes no simulated time, even on a slow machine, and equal runs have
equal results unless threads race each other. The loop would not wait for real sockets and
processes, so there must be none.
"""

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

BEGIN: Final = datetime(2026, 9, 1, tzinfo=UTC)
"""The time of day at which the simulated clock starts."""


class NothingLeft(RuntimeError):
    """All tasks wait for events that cannot happen."""


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose `time` is simulated, in seconds since it was made."""

    def __init__(self) -> None:
        self._simulated_s = 0.0
        self._jobs = 0
        self._no_jobs = asyncio.Event()
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="simulated")
        super().__init__(_Selector(self._to_wait))

    async def until_quiet(self) -> None:
        """Wait until no job runs in a thread."""
        while self._jobs:
            self._no_jobs.clear()
            await self._no_jobs.wait()

    def time(self) -> float:
        return self._simulated_s

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[*Ts], T],
        *args: *Ts,
    ) -> asyncio.Future[T]:
        """Run a job as in any loop.

        The clock stops until it is done, even if no task waits for it.
        """
        job = (executor or self._threads).submit(func, *args)
        self._jobs += 1
        future = asyncio.wrap_future(job, loop=self)
        # This runs after the callback of `wrap_future`, so that waiting tasks get the result first.
        job.add_done_callback(lambda _: self.call_soon_threadsafe(self._job_done))
        return future

    def close(self) -> None:
        self._threads.shutdown()
        super().close()

    def _job_done(self) -> None:
        self._jobs -= 1
        if not self._jobs:
            self._no_jobs.set()

    def _to_wait(self, timeout: float | None) -> float | None:
        """Return how long to really wait, where the loop would wait for `timeout` seconds."""
        if timeout is not None and timeout <= 0:
            return 0
        if self._jobs:
            return None  # until a thread calls
        if timeout is None:
            raise NothingLeft("nothing is ready, no job runs, and no task sleeps")
        self._simulated_s += timeout
        return 0


class _Selector(selectors.DefaultSelector):
    """A selector that waits as long as it is told to, instead of as long as the loop wants."""

    def __init__(self, to_wait: Callable[[float | None], float | None]) -> None:
        super().__init__()
        self._to_wait = to_wait

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(self._to_wait(timeout))


class SimulatedTime:
    """A `TimeSource` of a machine that started when this was made.

    Its monotonic clock started then, unlike that of any other machine.
    """

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop
        self._began = loop.time()

    def monotonic(self) -> float:
        return self._loop.time() - self._began

    def wall(self) -> datetime:
        return BEGIN + timedelta(seconds=self._loop.time())

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
