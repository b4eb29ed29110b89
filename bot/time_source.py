"""The source of time, passed in everywhere so that tests never wait."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class TimeSource(Protocol):
    def monotonic(self) -> float:
        """Return the seconds since some moment; never decreases."""

    def wall(self) -> datetime:
        """Return the time of day, aware, in UTC."""

    async def sleep(self, seconds: float) -> None: ...


class SystemTime:
    """The machine's clocks."""

    def monotonic(self) -> float:
        return time.monotonic()

    def wall(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
