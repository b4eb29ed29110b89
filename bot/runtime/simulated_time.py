"""Time that passes only while nothing is ready to run: weeks of play in minutes."""

# A clock that jumps
#
# The problem. A test or a rehearsal that waits for real timers is slow, and it fails on a slow
# machine. A fake clock beside the real clock of the event loop is no better: the clock then moves
# while a thread still writes to the disk, or while an answer is still in a socket.
#
# The idea. The event loop itself has the simulated clock. So sleeps, deadlines of asyncio, timers
# of libraries and the times of day all agree, and the loop's own heap of timers is the only one.
# The clock jumps to the next timer when the loop is quiet:
#
# - no callback is ready, which is when asyncio asks its selector to wait;
# - no job runs in a thread. Jobs are counted where they pass, in `run_in_executor`. A thread that
#   takes jobs from a queue of its own is counted by `count_jobs`;
# - no socket is ready. The kernel delivers what one socket of this program sends to another one
#   within the call that sends, so there is nothing on the way. In case the kernel puts a delivery
#   off, the loop waits a little before a long jump, which could be over the deadline of an answer.
#
# So work takes no simulated time, even on a slow machine, and equal runs have equal results unless
# threads race each other. trio's `MockClock(autojump_threshold=0)` does the same. While a child
# process lives, time has its real pace, because the child lives in real time. The loop does not
# know of other processes: what talks to a server outside needs a real loop.
#
# Rejected:
#
# - A fake clock that tests move by hand, with as many turns of the loop as should suffice.
# - A real pause before each jump, long enough for threads: slow, and too short on a busy machine.

import asyncio
import selectors
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

BEGIN: Final = datetime(2026, 9, 1, tzinfo=UTC)
"""The time of day at which the simulated clock starts."""
GRACE_S: Final = 0.002
LONG_S: Final = 5.0
"""Before a jump over that many seconds, the loop really waits `GRACE_S` for its sockets."""
LOOK_S: Final = 0.05
"""How often the loop looks whether the jobs of other threads are done, if none of them calls it."""
DIGITS: Final = 9
"""Simulated moments are rounded to nanoseconds, which is how exactly asyncio takes its timers."""
SHORTEST_S: Final = 10**-DIGITS
"""How much time passes at least: a caller may sleep for a rest of floats until it is gone."""


class NothingLeft(RuntimeError):
    """All tasks wait for events that cannot happen."""


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose `time` is simulated, in seconds since it was made."""

    def __init__(self) -> None:
        self._simulated_s = 0.0
        self._real_since: float | None = None
        self._jobs = 0
        self._counters: list[Callable[[], int]] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._children: list[asyncio.SubprocessTransport] = []
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="simulated")
        super().__init__(_Selector(self))

    def time(self) -> float:
        if self._real_since is None:
            return self._simulated_s
        return self._simulated_s + time.monotonic() - self._real_since

    def lapse(self, seconds: float) -> None:
        """Let time pass at once, as in a computation during which no task can run."""
        self._simulated_s = round(self._simulated_s + seconds, DIGITS)

    async def quiet(self) -> None:
        """Wait until nothing more happens unless time passes. No time passes meanwhile."""
        waiting = self.create_future()
        self._waiting.append(waiting)
        await waiting

    def count_jobs(self, count: Callable[[], int]) -> None:
        """Stop the clock as long as the sum of all counts is more than 0.

        For threads that take jobs from a queue of their own. A job counts until its outcome was
        given to the loop by `call_soon_threadsafe`. A negative count is one of jobs that wait for
        the loop.
        """
        self._counters.append(count)

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

    async def subprocess_exec(
        self,
        protocol_factory: Callable[[], Any],
        *args: Any,  # noqa: ANN401 - as in asyncio
        **options: Any,  # noqa: ANN401
    ) -> tuple[asyncio.SubprocessTransport, Any]:
        """Start a child process as in any loop; time has its real pace while it lives."""
        transport, protocol = await super().subprocess_exec(protocol_factory, *args, **options)
        self._children.append(transport)
        if self._real_since is None:
            self._real_since = time.monotonic()
        return transport, protocol

    def close(self) -> None:
        self._threads.shutdown()
        super().close()

    def _job_done(self) -> None:
        self._jobs -= 1

    def has_jobs(self) -> bool:
        """Whether a thread works for the loop."""
        return self._jobs + sum(count() for count in self._counters) > 0

    def has_children(self) -> bool:
        """Whether a child process lives; if none does any more, time is simulated again."""
        self._children = [each for each in self._children if each.get_returncode() is None]
        if not self._children:
            self._simulated_s, self._real_since = round(self.time(), DIGITS), None
        return bool(self._children)

    def tell_quiet(self) -> bool:
        """Continue tasks that wait for quiet. Returns whether there were any."""
        waiting = [each for each in self._waiting if not each.done()]
        self._waiting.clear()
        for each in waiting:
            each.set_result(None)
        return bool(waiting)


class _Selector(selectors.DefaultSelector):
    """A selector that waits for threads, sockets and children, and otherwise for no time."""

    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return super().select(0)
        is_real = self._loop.has_children()
        # This is asked first: a job that ends in between has made the loop's own socket ready.
        if self._loop.has_jobs():
            is_short = is_real and timeout is not None and timeout < LOOK_S
            return super().select(timeout if is_short else LOOK_S)
        is_long = timeout is None or timeout > LONG_S
        has_sockets = len(self.get_map()) > 1  # one is the loop's own
        events = super().select(GRACE_S if is_long and has_sockets else 0)
        if events or self._loop.tell_quiet():
            return events
        if is_real:
            return super().select(timeout)
        if timeout is None:
            raise NothingLeft("nothing is ready, no job runs, and no task sleeps")
        self._loop.lapse(max(timeout, SHORTEST_S))
        return []


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
