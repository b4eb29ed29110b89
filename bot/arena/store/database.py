"""The arena's database, whichever system stores it: reads, writes, and whether it works.

A write is committed when `Database.write` returns. One thread writes (`bot.arena.store.writer`) and
another one reads. What differs between SQLite and PostgreSQL is in a driver
(`bot.arena.store.connection`).
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Final, TypeVar

import structlog

from bot.arena.refusals import OwnerReplaced
from bot.arena.store.connection import Driver, ErrorVerdict, Query, Work
from bot.arena.store.writer import Writer
from bot.runtime.service_manager import Pulse

OPEN_S: Final = 10.0
"""For how long opening is retried while another program prevents it."""

T = TypeVar("T")

log = structlog.get_logger()


def as_text(moment: datetime) -> str:
    """A moment as the tables store it: in UTC, so that texts sort like moments."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class Database:
    """An open database; `bot.arena.store.opening.open_database` makes one.

    `trouble` says why the database cannot be written now, and is None while it can. The listeners
    `on_trouble` get the new value at each change. `on_commit` is called in the thread that writes,
    with the seconds and the number of writes of each transaction.
    """

    def __init__(self, driver: Driver, patience_s: float | None) -> None:
        """Raises an error of `driver.errors` if the database cannot be connected."""
        self.trouble: str | None = None
        self.on_trouble: list[Callable[[str | None], None]] = []
        self.on_commit: Callable[[float, int], None] = lambda _seconds, _jobs: None
        self._driver = driver
        self._trouble_since = 0.0
        self._reader = driver.reader(patience_s)
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="arena-reader")
        try:
            self._writer = Writer(
                driver,
                self._note_trouble,
                patience_s,
                lambda seconds, jobs: self.on_commit(seconds, jobs),
            )
        except BaseException:
            self._reader.close()
            raise

    @property
    def waiting_jobs(self) -> int:
        """See `Writer.waiting_jobs`."""
        return self._writer.waiting_jobs

    @property
    def oldest_job_s(self) -> float:
        """See `Writer.oldest_job_s`."""
        return self._writer.oldest_job_s

    @property
    def pulse(self) -> Pulse:
        """The progress of the thread that writes."""
        return self._writer.pulse

    async def read(self, query: Query[T]) -> T:
        """Run `query` in one read transaction and return its result.

        Waits while a server cannot be reached. Raises HostError if the database cannot be read, and
        also if the database was opened with `patience_s` and that time is over.
        """
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reading, self._reader.read, query)
        except self._driver.errors as error:
            raise self._driver.failure("cannot be read", error) from error

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction and return its result once the transaction is committed.

        An exception of `work` undoes what it wrote and is raised here. `work` may run several
        times: it is repeated after a failed commit. While the database cannot be written, this
        waits; it raises HostError if the database was opened with `patience_s` and that time is
        over, and DataError if the database is damaged.
        """
        try:
            return await self._writer.write(work)
        except self._driver.errors as error:
            if self._driver.judge(error) is not ErrorVerdict.DAMAGED:
                raise
            raise self._driver.failure("cannot be written", error) from error

    async def write_fenced(self, work: Work[T], what: str) -> T:
        """Like `write`, for work with a fence. Raises Replaced if another process owns `what`."""
        try:
            return await self.write(work)
        except self._driver.errors as error:
            if self._driver.is_fenced(error):
                raise OwnerReplaced(what) from error
            raise

    def hurry(self) -> None:
        """Let work that would wait for long fail with HostError, because the program stops."""
        self._writer.hurry()
        self._reader.hurry()

    async def close(self) -> None:
        self.hurry()
        await self._writer.close()
        await asyncio.to_thread(self._reading.shutdown)
        self._reader.close()

    def _note_trouble(self, why: str | None) -> None:
        name = self._driver.name
        if why is not None:
            self._trouble_since = time.monotonic()
            log.error("store_cannot_write", file=name, why=why)
        elif self.trouble is not None:
            lasted_s = round(time.monotonic() - self._trouble_since, 1)
            log.warning("store_writes_again", file=name, lasted_s=lasted_s)
        self.trouble = why
        for listener in self.on_trouble:
            listener(why)
