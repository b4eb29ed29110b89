"""Where time comes from: passed in everywhere, so that tests never wait."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class TimeSource(Protocol):
    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""

    def wall(self) -> datetime:
        """The time of day, aware, in UTC."""

    async def sleep(self, seconds: float) -> None: ...


class SystemTime:
    """The machine's clocks."""

    def monotonic(self) -> float:
        return time.monotonic()

    def wall(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
