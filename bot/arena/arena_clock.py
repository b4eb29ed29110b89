"""The arena's own clock, which continues where the last run stopped, and pauses with the games.

Games are timed by it. The system clock can be set at any time, and a monotonic clock starts from
another value after a restart. This clock counts the seconds in which games could be played.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final

import structlog

from bot.time_source import TimeSource

TICK_S: Final = 1.0
"""A longer sleep reads the clock this often, and at most a thousand times in all."""
LATE_S: Final = 1.0
"""A process that wakes later than this was stopped: a busy machine delays it by less."""

log = structlog.get_logger()


class ArenaClock:
    """A `TimeSource` whose `monotonic` starts at `start_s` and can be paused.

    Time in which the whole process is stopped, by SIGSTOP or a paused container, does not count
    either: at most `TICK_S` of it while any sleep is running. `on_stop` is called afterwards.
    """

    def __init__(self, time: TimeSource, start_s: float = 0.0) -> None:
        self._time = time
        self._ahead_s = self._ahead_at_start_s = start_s - time.monotonic()
        self._paused_at: float | None = None
        self._runs = asyncio.Event()
        self._runs.set()
        self._looked_at = time.monotonic()
        self._wakes_at: dict[object, float] = {}
        self.on_stop: list[Callable[[], None]] = []

    @property
    def is_paused(self) -> bool:
        return self._paused_at is not None

    @property
    def stopped_s(self) -> float:
        """For how many seconds since the start no clock ran. It never decreases."""
        now = self._look()
        ahead_s = self._ahead_s if self._paused_at is None else self._paused_at - now
        return self._ahead_at_start_s - ahead_s

    def pause(self) -> None:
        """No time passes until `resume`."""
        if self._paused_at is None:
            self._paused_at = self.monotonic()
            self._runs.clear()

    def resume(self) -> None:
        if self._paused_at is not None:
            self._ahead_s = self._paused_at - self._look()
            self._paused_at = None
            self._runs.set()

    def monotonic(self) -> float:
        now = self._look()
        return now + self._ahead_s if self._paused_at is None else self._paused_at

    def wall(self) -> datetime:
        return self._time.wall()

    async def sleep(self, seconds: float) -> None:
        """Sleep until that many seconds have passed on this clock."""
        until, sleeper = self.monotonic() + seconds, object()
        while (left_s := until - self.monotonic()) > 0:
            slice_s = min(left_s, max(TICK_S, left_s / 1000))
            self._wakes_at[sleeper] = self._time.monotonic() + slice_s
            try:
                await self._time.sleep(slice_s)
                self._look()
            finally:
                del self._wakes_at[sleeper]
            await self._runs.wait()

    def _look(self) -> float:
        """Read the underlying clock; time in which the process was stopped is subtracted."""
        now = self._time.monotonic()
        since = max(self._looked_at, min(self._wakes_at.values(), default=now))
        self._looked_at = now
        if (late_s := now - since) > LATE_S:
            self._ahead_s -= late_s
            for sleeper in self._wakes_at:
                self._wakes_at[sleeper] += late_s
            log.warning("arena_was_stopped", seconds=round(late_s, 1))
            for listener in self.on_stop:
                listener()
        return now
