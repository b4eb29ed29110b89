"""Whether a file of the bot can be written, as the last attempt has shown."""

import asyncio

import structlog

from bot.time_source import TimeSource

log = structlog.get_logger()


class WriteState:
    """Logs when writing begins to fail and when it works again, once each."""

    def __init__(self, what: str, time_source: TimeSource) -> None:
        self.problem: str | None = None
        self._what = what
        self._time = time_source
        self._since = 0.0
        self._works = asyncio.Event()
        self._works.set()
        self._fails = asyncio.Event()

    def failed(self, why: object) -> None:
        begins = self.problem is None
        self.problem = f"{self._what}: cannot be written: {why}"
        self._works.clear()
        self._fails.set()
        if begins:
            self._since = self._time.monotonic()
            log.error("cannot_write", what=self._what, why=str(why))

    def worked(self) -> None:
        ends = self.problem is not None
        self.problem = None
        self._works.set()
        self._fails.clear()
        if ends:
            lasted_s = round(self._time.monotonic() - self._since, 1)
            log.warning("writes_again", what=self._what, lasted_s=lasted_s)

    async def until_works(self) -> None:
        await self._works.wait()

    async def until_fails(self) -> None:
        await self._fails.wait()
