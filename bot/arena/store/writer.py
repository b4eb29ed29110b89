"""The one thread that writes the arena's database: all that waits becomes one transaction.

Bringing a turn to the disk takes as long as bringing twenty, so whatever has come while one
transaction was being written goes into the next one together. Nobody hears that their work is
done before it is on the disk. While the file cannot be written (the disk is full, another program
holds the lock) the work waits and is tried again.
"""

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import structlog

from bot.errors import HostError

log = structlog.get_logger()

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""What is to be written, within a transaction; it may be run again when that could not be."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Work that is one statement: alone, it needs no transaction around it."""

    sql: str
    values: tuple[object, ...]

    def __call__(self, connection: sqlite3.Connection) -> None:
        connection.execute(self.sql, self.values)


MOST_AT_ONCE: Final = 200
RETRY_S: Final = 0.25
HURRIED_S: Final = 2.0
"""How long a file that cannot be written holds up the end."""

NOT_NOW: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""Primary result codes that say nothing against the work: https://sqlite.org/rescode.html"""

WANTS_NEW_CONNECTION: Final = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
)


def result_code(error: sqlite3.Error) -> int:
    """The primary result code of SQLite."""
    return (getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR) & 0xFF


@dataclass(frozen=True, slots=True)
class _Job:
    work: Work[Any]
    done: asyncio.Future[Any]


class Writer:
    """`report` is called in the event loop: why nothing can be written, None when it can again.

    `name` is the file's, for messages. With `patience_s`, work that could not be written for so
    long fails with HostError.
    """

    def __init__(
        self,
        name: str,
        connect: Callable[[], sqlite3.Connection],
        report: Callable[[str | None], None],
        patience_s: float | None = None,
    ) -> None:
        self._name = name
        self._connect = connect
        self._report = report
        self._patience_s = patience_s
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._is_closed = False
        self._in_trouble = False
        self._connection = connect()
        self._thread = threading.Thread(target=self._run, name="arena-writer", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T]) -> T:
        """What `work` returns, once it is on the disk; what it raises, with nothing changed."""
        if self._is_closed:
            raise HostError("the database is closed")
        done: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Job(work, done))
        return await done

    def hurry(self) -> None:
        """The end is near: work that cannot be written soon fails."""
        self._patience_s = HURRIED_S

    async def close(self) -> None:
        """Write what waits, if that is possible."""
        self.hurry()
        self._is_closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()

    # ---- in the thread -----------------------------------------------------------------------

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs = [first]
            is_last = self._take_waiting(jobs)
            try:
                self._commit(jobs)
            except BaseException as error:  # noqa: BLE001 - without this thread nothing is written
                self._note_failure(jobs, error)
            if is_last:
                break

    def _note_failure(self, jobs: Sequence[_Job], error: BaseException) -> None:
        """Something that nobody thought of: these jobs fail, the next ones may do better."""
        log.error("writer_failed", file=self._name, jobs=len(jobs), exc_info=error)
        failure = HostError(f"{self._name}: cannot be written: {error!r}")
        with suppress(RuntimeError):  # the event loop is closed: nobody waits any more
            self._tell(jobs, [failure] * len(jobs))

    def _take_waiting(self, jobs: list[_Job]) -> bool:
        """Add what waits to `jobs`; whether the end was among it."""
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
        """Write the jobs as soon as that is possible, and tell those who wait for them."""
        began = time.monotonic()
        while True:
            try:
                outcomes = self._transaction(jobs)
            except sqlite3.Error as error:
                if result_code(error) not in NOT_NOW or self._gives_up(began):
                    failure = HostError(f"{self._name}: cannot be written: {error}")
                    self._tell(jobs, [failure] * len(jobs))
                    return
                self._note_trouble(str(error))
                time.sleep(RETRY_S)
                if result_code(error) in WANTS_NEW_CONNECTION:
                    self._reconnect()
            else:
                self._note_trouble(None)
                self._tell(jobs, outcomes)
                return

    def _gives_up(self, began: float) -> bool:
        return self._patience_s is not None and time.monotonic() - began > self._patience_s

    def _transaction(self, jobs: Sequence[_Job]) -> list[object]:
        """What each job returned or raised, all on the disk. Raises sqlite3.Error."""
        if len(jobs) == 1 and isinstance(jobs[0].work, Statement):
            return [self._alone(jobs[0].work)]
        try:
            return self._attempt(jobs, lambda job: job.work(self._connection))
        except _JobFailed:
            # Rare, so the others need not pay for a savepoint each time.
            return self._attempt(jobs, self._apart)

    def _attempt(self, jobs: Sequence[_Job], run: Callable[[_Job], object]) -> list[object]:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            outcomes = [_run_job(job, run) for job in jobs]
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # the database may have rolled back by itself
                connection.execute("ROLLBACK")
            raise
        return outcomes

    def _alone(self, statement: Statement) -> object:
        # Each call hands the interpreter over twice, and most turns come alone.
        try:
            statement(self._connection)
        except Exception as error:
            if isinstance(error, sqlite3.Error) and result_code(error) in NOT_NOW:
                raise
            return error
        return None

    def _apart(self, job: _Job) -> object:
        """One job so that its failure undoes nothing of the others."""
        connection = self._connection
        connection.execute("SAVEPOINT job")
        try:
            outcome = job.work(connection)
        except Exception as error:
            if isinstance(error, sqlite3.Error) and result_code(error) in NOT_NOW:
                raise
            connection.execute("ROLLBACK TO job")
            outcome = error
        connection.execute("RELEASE job")
        return outcome

    def _reconnect(self) -> None:
        with suppress(sqlite3.Error):
            fresh = self._connect()
            self._connection.close()
            self._connection = fresh

    def _note_trouble(self, why: str | None) -> None:
        if (why is not None) != self._in_trouble:
            self._in_trouble = why is not None
            self._loop.call_soon_threadsafe(self._report, why)

    def _tell(self, jobs: Sequence[_Job], outcomes: Sequence[object]) -> None:
        self._loop.call_soon_threadsafe(_settle, jobs, outcomes)


class _JobFailed(Exception):
    """A job raised something of its own; the transaction is undone and tried job by job."""


def _run_job(job: _Job, run: Callable[[_Job], object]) -> object:
    try:
        return run(job)
    except sqlite3.Error as error:
        if result_code(error) in NOT_NOW:
            raise
        raise _JobFailed from error
    except Exception as error:
        raise _JobFailed from error


def _settle(jobs: Sequence[_Job], outcomes: Sequence[object]) -> None:
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done.done():  # nobody waits for it any more
            continue
        if isinstance(outcome, StopIteration):  # which a future does not take
            outcome = RuntimeError(f"the work raised {outcome!r}")
        if isinstance(outcome, BaseException):
            job.done.set_exception(outcome)
        else:
            job.done.set_result(outcome)
