"""The one thread that writes the arena's database: group commit.

Problem. A turn must be on the disk before it is acknowledged. With synchronous=FULL each commit
waits for the disk, and a disk takes about as long for one turn as for twenty. One transaction per
turn would limit the whole arena to the commits per second of its disk.

Idea. All work goes into a queue that one thread empties. While the thread commits one transaction,
new work collects in the queue; then everything that waits, up to `MOST_AT_ONCE`, becomes the next
transaction. Under little load a turn is committed alone and at once. Under heavy load groups grow
by themselves, without a timer that would delay anyone. After the commit the thread settles the
futures of all jobs of the group in one call into the event loop.

Failures are of two kinds:

- The database cannot be written now (full disk, lock of another program, a server that restarts).
  This says nothing against the work. The group is kept and retried every `RETRY_S`, over a new
  connection where one is needed. The arena pauses its clocks meanwhile. So work may run more than
  once, also after a commit that succeeded although its answer was lost, and must be repeatable.
- The work itself fails (a name that is taken). Only its own caller may notice. The group is rolled
  back and repeated with a savepoint around each job. That is rare, so groups without failures do
  not pay for savepoints.

Rejected:

- One transaction per turn, or per game: the disk's commits per second are the limit.
- synchronous=NORMAL: a power cut takes back turns that were acknowledged.
- A commit every few milliseconds: adds that delay to every turn of an idle server.
- A pool of writing threads: SQLite has one writer at a time, the others would wait for its lock.
- Retries in the caller: each caller would hold its own copy of the same loop, and their order would
  be lost.

The driver (`bot.arena.store.connection`) knows how to connect, how a transaction begins and ends,
and of which kind an error is. The rest is the same for SQLite and PostgreSQL.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import structlog

from bot.arena.store.connection import Connection, Driver, ErrorVerdict, Work
from bot.errors import HostError
from bot.runtime.service_manager import Pulse

log = structlog.get_logger()

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Statement:
    """Work that is one statement: alone in its group, it needs no explicit transaction."""

    sql: str
    values: tuple[object, ...]

    def __call__(self, connection: Connection) -> None:
        connection.execute(self.sql, self.values)


MOST_AT_ONCE: Final = 200
"""The most jobs in one transaction."""
RETRY_S: Final = 0.25
HURRIED_S: Final = 2.0
"""How long a database that cannot be written may delay the end of the program."""

AGAIN_AT_ONCE: Final = 20
"""How often work is repeated at once if other transactions come in between."""


@dataclass(frozen=True, slots=True)
class _Job:
    work: Work[Any]
    done: asyncio.Future[Any]
    since: float


class Writer:
    """Writes jobs in order, in groups.

    `report` is called in the event loop at each change: with the reason why the database cannot be
    written, and with None when it can be written again. With `patience_s`, work that could not be
    written for that long fails with HostError; without it, work waits.
    `measure` is called in the thread after each commit, with its duration and number of jobs.
    """

    def __init__(
        self,
        driver: Driver,
        report: Callable[[str | None], None],
        patience_s: float | None = None,
        measure: Callable[[float, int], None] = lambda _seconds, _jobs: None,
    ) -> None:
        self._measure = measure
        self.pulse = Pulse("arena-writer")
        self._driver = driver
        self._report = report
        self._patience_s = patience_s
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._is_closed = False
        self._in_trouble = False
        self._oldest: float | None = None
        self._waiting_jobs = 0
        self._ended = asyncio.Event()
        self._connection = driver.connect()
        self._thread = threading.Thread(target=self._run, name="arena-writer", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T]) -> T:
        """Run `work` and return its result once its transaction is committed.

        Raises what `work` raises, with nothing changed, and HostError as the class says.
        """
        if self._is_closed:
            raise HostError("the database is closed")
        done: asyncio.Future[T] = self._loop.create_future()
        self._waiting_jobs += 1
        self._jobs.put(_Job(work, done, self._loop.time()))
        return await done

    @property
    def waiting_jobs(self) -> int:
        """How many jobs are not settled yet."""
        return self._waiting_jobs

    @property
    def oldest_job_s(self) -> float:
        """The age of the oldest job that waits for its commit; 0 if no job waits."""
        oldest = self._oldest
        return 0.0 if oldest is None else self._loop.time() - oldest

    @property
    def is_busy(self) -> bool:
        """Whether jobs are not settled yet, or the thread has to end."""
        return self._waiting_jobs > 0 or (self._is_closed and not self._ended.is_set())

    def hurry(self) -> None:
        """Let work that cannot be written within `HURRIED_S` fail: the program stops."""
        self._patience_s = HURRIED_S

    async def close(self) -> None:
        """Write the waiting work if possible, then end the thread."""
        self.hurry()
        self._is_closed = True
        self._jobs.put(None)
        await self._ended.wait()
        self._thread.join()
        self._connection.close()

    # ---- in the thread -----------------------------------------------------------------------

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs = [first]
            is_last = self._take_waiting(jobs)
            self._oldest = first.since
            try:
                self._commit(jobs)
            except BaseException as error:  # noqa: BLE001 - without this thread nothing is written
                self._note_failure(jobs, error)
            self._oldest = None
            self.pulse.rest()
            if is_last:
                break
        with suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._ended.set)

    def _note_failure(self, jobs: Sequence[_Job], error: BaseException) -> None:
        """Fail these jobs after an unexpected error; the thread continues with the next ones."""
        name = self._driver.name
        log.error("writer_failed", file=name, jobs=len(jobs), exc_info=error)
        failure = HostError(f"{name}: cannot be written: {error!r}")
        with suppress(RuntimeError):  # the event loop is closed: no caller waits any more
            self._settle_soon(jobs, [failure] * len(jobs))

    def _take_waiting(self, jobs: list[_Job]) -> bool:
        """Move waiting jobs to `jobs`. Returns whether the queue's end came."""
        while len(jobs) < MOST_AT_ONCE:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return False
            if job is None:
                return True
            jobs.append(job)
        return False

    def _commit(self, jobs: list[_Job]) -> None:
        """Write the jobs as soon as possible, and settle their futures."""
        driver, began, attempts = self._driver, self._loop.time(), 0
        measured_from = time.monotonic()
        while True:
            self.pulse.step()
            try:
                outcomes = self._transaction(jobs)
            except driver.errors as error:
                verdict = driver.judge(error)
                if verdict not in _PASSING or self._gives_up(began):
                    why = driver.failure("cannot be written", error)
                    self._settle_soon(jobs, [why] * len(jobs))
                    return
                attempts += 1
                if verdict is not ErrorVerdict.AGAIN or attempts > AGAIN_AT_ONCE:
                    self._wait_after(error, verdict)
            else:
                self._note_trouble(None)
                self._settle_soon(jobs, outcomes)
                self._measure(time.monotonic() - measured_from, len(jobs))
                return

    def _wait_after(self, error: Exception, verdict: ErrorVerdict) -> None:
        self._note_trouble(" ".join(str(error).split()))  # a server writes several lines
        self._pause()
        if verdict is ErrorVerdict.RECONNECT:
            self._reconnect()

    def _pause(self) -> None:
        time.sleep(RETRY_S)

    def _gives_up(self, began: float) -> bool:
        return self._patience_s is not None and self._loop.time() - began > self._patience_s

    def _transaction(self, jobs: Sequence[_Job]) -> list[object]:
        """Commit the jobs. Returns what each one returned or raised.

        Raises an error of the driver if none of them is committed.
        """
        if len(jobs) == 1 and isinstance(jobs[0].work, Statement):
            return [self._alone(jobs[0].work)]
        try:
            return self._attempt(jobs, self._together, is_repeatable=True)
        except _JobFailed:
            pass
        except self._driver.errors as error:
            if not self._is_of_work(error):
                raise
        # This is rare, so that other groups do not pay for savepoints.
        return self._attempt(jobs, self._apart, is_repeatable=False)

    def _attempt(
        self, jobs: Sequence[_Job], run: Callable[[_Job], object], *, is_repeatable: bool
    ) -> list[object]:
        return self._driver.transaction(
            self._connection, lambda: [run(job) for job in jobs], is_repeatable=is_repeatable
        )

    def _alone(self, statement: Statement) -> object:
        # Each call into SQLite releases and takes the interpreter lock; most turns come alone.
        try:
            statement(self._connection)
        except Exception as error:
            if not self._is_of_work(error):
                raise
            return error
        return None

    def _together(self, job: _Job) -> object:
        """Run one job of a group without failures."""
        try:
            return job.work(self._connection)
        except self._driver.errors:
            raise
        except Exception as error:
            raise _JobFailed from error

    def _apart(self, job: _Job) -> object:
        """Run one job within a savepoint, so that its failure undoes nothing of the others."""
        connection = self._connection
        connection.execute("SAVEPOINT job")
        try:
            outcome = job.work(connection)
        except Exception as error:
            if not self._is_of_work(error):
                raise
            connection.execute("ROLLBACK TO job")
            outcome = error
        connection.execute("RELEASE job")
        return outcome

    def _is_of_work(self, error: Exception) -> bool:
        """Whether the error concerns only the job that raised it."""
        is_of_driver = isinstance(error, self._driver.errors)
        return not is_of_driver or self._driver.judge(error) not in _PASSING

    def _reconnect(self) -> None:
        with suppress(*self._driver.errors):
            fresh = self._driver.connect()
            with suppress(*self._driver.errors):
                self._connection.close()
            self._connection = fresh

    def _note_trouble(self, why: str | None) -> None:
        if (why is not None) != self._in_trouble:
            self._in_trouble = why is not None
            self._loop.call_soon_threadsafe(self._report, why)

    def _settle_soon(self, jobs: Sequence[_Job], outcomes: Sequence[object]) -> None:
        self._loop.call_soon_threadsafe(self._settle, jobs, outcomes)

    # ---- in the event loop again ---------------------------------------------------------------

    def _settle(self, jobs: Sequence[_Job], outcomes: Sequence[object]) -> None:
        self._waiting_jobs -= len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            if job.done.done():  # its caller was cancelled
                continue
            if isinstance(outcome, StopIteration):  # a future does not accept it
                outcome = RuntimeError(f"the work raised {outcome!r}")
            if isinstance(outcome, BaseException):
                job.done.set_exception(outcome)
            else:
                job.done.set_result(outcome)


class _JobFailed(Exception):
    """A job raised an exception of its own; the group is rolled back and repeated job by job."""


_PASSING: Final = frozenset({ErrorVerdict.AGAIN, ErrorVerdict.LATER, ErrorVerdict.RECONNECT})
"""What is no fault of the work."""
