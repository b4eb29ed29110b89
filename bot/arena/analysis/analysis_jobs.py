"""The searches that workers carry out: assigned, limited by a deadline, queued again when lost.

A worker asks for a job and waits for it (`take`), and reports on it twice a second (`report`). The
answer to a report says whether the job is still wanted, so that a worker needs no events, and a
cancelled search ends half a second later. A worker that does not report loses its job.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from bot import wire
from bot.arena.store.ids import new_id
from bot.runtime.alarms import Alarms
from bot.runtime.tasks import Overtaken, unless_overtaken
from bot.time_source import TimeSource

HOLD_S: Final = 2.0
"""How long a worker that asks for a job waits for one."""
LEASE_S: Final = 10.0
"""A worker that has not reported for this time loses its job."""
GONE_S: Final = 15.0
"""A worker that has neither asked nor reported for this time is gone."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Found:
    """What a search has found so far; the best line first."""

    lines: tuple[wire.AnalysisLine, ...]
    visits: int | None
    engine: str | None


class SearchTask(Protocol):
    """A search that a worker must carry out."""

    setup: wire.AnalysisSetup
    turns: tuple[str, ...]
    seconds: float

    @property
    def is_wanted(self) -> bool:
        """Whether a visitor still waits for it."""
        ...

    def progress(self, found: Found) -> None:
        """Take a partial result."""

    def done(self, found: Found) -> None:
        """Take the result."""

    def lost(self, why: str) -> None:
        """Note that the worker failed or has gone."""


@dataclass
class _Running:
    task: SearchTask
    worker: str
    engine: str | None


class Jobs:
    """Gives tasks to workers. `next_task` returns the task that is next, or None."""

    def __init__(
        self, next_task: Callable[[], SearchTask | None], lines: int, time: TimeSource
    ) -> None:
        self._next_task = next_task
        self._lines = lines
        self._time = time
        self._alarms = Alarms(time)
        self._running: dict[str, _Running] = {}
        self._seen: dict[str, float] = {}
        self._waiting: list[asyncio.Future[None]] = []

    async def close(self) -> None:
        await self._alarms.close()
        self.wake()

    @property
    def workers(self) -> list[str]:
        """The names of the workers that have asked or reported recently."""
        oldest = self._time.monotonic() - GONE_S
        self._seen = {name: at for name, at in self._seen.items() if at >= oldest}
        return list(self._seen)

    @property
    def running_count(self) -> int:
        return len(self._running)

    def wake(self) -> None:
        """Let waiting workers look for a task again."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def take(self, worker: str, message: wire.TakeAnalysis) -> wire.AnalysisJob | None:
        """The next job for a worker; None if no job comes within HOLD_S seconds."""
        self._seen[worker] = self._time.monotonic()
        self._give_back_all(worker, "The engine was restarted.")
        task = self._next_task()
        if task is None:
            await self._hold()
            self._seen[worker] = self._time.monotonic()
            task = self._next_task()
        if task is None:
            return None
        job_id = new_id()
        self._running[job_id] = _Running(task, worker, message.engine)
        self._renew(job_id)
        return wire.AnalysisJob(
            job_id=job_id,
            setup=task.setup,
            turns=list(task.turns),
            seconds=task.seconds,
            lines=self._lines,
        )

    async def _hold(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await unless_overtaken(self._time.sleep(HOLD_S), _done(future))
        except Overtaken:
            return
        finally:
            if future in self._waiting:
                self._waiting.remove(future)

    def report(self, worker: str, message: wire.ReportAnalysis) -> bool:
        """Take a worker's report. Returns whether the job is still wanted."""
        self._seen[worker] = self._time.monotonic()
        running = self._running.get(message.job_id)
        if running is None or running.worker != worker:
            return False
        if not running.task.is_wanted or message.state != "working":
            self._end(message.job_id)
        else:
            self._renew(message.job_id)
        found = Found(tuple(message.lines), message.visits, running.engine)
        if message.state == "failed" or (message.state == "done" and not found.lines):
            log.warning("analysis_failed", worker=worker, why=message.message)
            running.task.lost("The engine failed.")  # the reason concerns only the operator
        elif message.state == "done":
            running.task.done(found)
        elif found.lines and running.task.is_wanted:
            running.task.progress(found)
        return message.job_id in self._running

    def worker_left(self, worker: str) -> None:
        """Give the worker's jobs back at once, because it has disconnected."""
        if self._seen.pop(worker, None) is not None:
            self._give_back_all(worker, "The engine was disconnected.")

    def _renew(self, job_id: str) -> None:
        at = self._time.monotonic() + LEASE_S
        self._alarms.set(job_id, at, lambda: self._expire(job_id))

    async def _expire(self, job_id: str) -> None:
        running = self._running.get(job_id)
        if running is not None:
            log.warning("analysis_job_expired", worker=running.worker)
            self._seen.pop(running.worker, None)
            self._give_back(job_id, "The engine did not answer.")

    def _give_back_all(self, worker: str, why: str) -> None:
        for job_id in [job for job, each in self._running.items() if each.worker == worker]:
            self._give_back(job_id, why)

    def _give_back(self, job_id: str, why: str) -> None:
        running = self._running[job_id]
        self._end(job_id)
        running.task.lost(why)
        self.wake()

    def _end(self, job_id: str) -> None:
        del self._running[job_id]
        self._alarms.clear(job_id)


async def _done(future: "asyncio.Future[None]") -> None:
    await future
