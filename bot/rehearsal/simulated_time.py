"""Time that passes only while nobody has anything to do: weeks of play in minutes.

The event loop itself has the simulated clock, so that sleeps, deadlines of asyncio and the times of
day all agree, and the loop's own heap of timers is the only one. It goes on to the next timer when
two things hold: nothing in the loop is ready to run, which is when asyncio asks its selector to
wait; and no job is under way in a thread, such as a transaction, which are counted where all of
them pass, in `run_in_executor`. So work takes no simulated time, however slow the machine is, and
the same run goes the same way wherever threads do not race each other. Real sockets and processes
would not be waited for: there must be none.
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
    """Everybody waits for something that nobody will do."""


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Its `time` is simulated, in seconds since it was made."""

    def __init__(self) -> None:
        self._simulated_s = 0.0
        self._jobs = 0
        self._no_jobs = asyncio.Event()
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="simulated")
        super().__init__(_Selector(self._to_wait))

    async def until_quiet(self) -> None:
        """Until no job is under way in a thread."""
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
        """As in any loop, and the clock stands still until it is done, waited for or not."""
        job = (executor or self._threads).submit(func, *args)
        self._jobs += 1
        future = asyncio.wrap_future(job, loop=self)
        # After the callback of `wrap_future`, so that whoever waits hears of it first.
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
        """How long to wait in earnest, where the loop would wait for so many seconds."""
        if timeout is not None and timeout <= 0:
            return 0
        if self._jobs:
            return None  # until a thread calls
        if timeout is None:
            raise NothingLeft("nothing is ready, nothing is under way, and nobody sleeps")
        self._simulated_s += timeout
        return 0


class _Selector(selectors.DefaultSelector):
    """Waits as long as it is told to, not as long as the loop wants."""

    def __init__(self, to_wait: Callable[[float | None], float | None]) -> None:
        super().__init__()
        self._to_wait = to_wait

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(self._to_wait(timeout))


class SimulatedTime:
    """A `TimeSource` of a machine that was started when this was made: its monotonic clock began
    then, as that of no other machine did.
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
