"""The arena's own clock: it goes on where the last run stopped, and stands while nothing counts.

Games are timed by it. The wall's clock can be set at any time, and another machine's monotonic
clock says nothing after a restart; this one counts the seconds in which games could be played.
"""

import asyncio
from datetime import datetime

from bot.time_source import TimeSource


class ArenaClock:
    """A `TimeSource` whose `monotonic` starts at `start_s` and can stand still."""

    def __init__(self, time: TimeSource, start_s: float = 0.0) -> None:
        self._time = time
        self._ahead_s = start_s - time.monotonic()
        self._stands_at: float | None = None
        self._goes = asyncio.Event()
        self._goes.set()

    @property
    def stands(self) -> bool:
        return self._stands_at is not None

    def stand(self) -> None:
        """No time passes until `go_on`."""
        if self._stands_at is None:
            self._stands_at = self.monotonic()
            self._goes.clear()

    def go_on(self) -> None:
        if self._stands_at is not None:
            self._ahead_s = self._stands_at - self._time.monotonic()
            self._stands_at = None
            self._goes.set()

    def monotonic(self) -> float:
        if self._stands_at is not None:
            return self._stands_at
        return self._time.monotonic() + self._ahead_s

    def wall(self) -> datetime:
        return self._time.wall()

    async def sleep(self, seconds: float) -> None:
        """Sleep so long; longer if the clock stands at the end."""
        await self._time.sleep(seconds)
        await self._goes.wait()
