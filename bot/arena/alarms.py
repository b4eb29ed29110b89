"""Deadlines by name: at most one pending call a key, each owned and its failure logged."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable

import structlog

from bot.time_source import TimeSource

LONGEST_SLEEP_S = 3600.0
RETRY_S = 1.0

log = structlog.get_logger()

Ring = Callable[[], Awaitable[None]]


class Alarms:
    """Calls `ring` at a moment of `time.monotonic`, unless cleared or set anew before.

    A ring that fails is logged and tried again a second later: a deadline of a game must not
    be lost because the disk was full for a moment.
    """

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._waiting: dict[Hashable, asyncio.Task[None]] = {}
        self._ringing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def set(self, key: Hashable, at: float, ring: Ring) -> None:
        """Replace the alarm of that key, if there is one; nothing rings after `close`."""
        self.clear(key)
        if self._is_closed:
            return
        self._waiting[key] = asyncio.create_task(self._wait(key, at, ring))

    def clear(self, key: Hashable) -> None:
        """Forget the alarm of that key; one that is ringing already goes on."""
        task = self._waiting.pop(key, None)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """Forget all alarms, and wait for those that are ringing."""
        self._is_closed = True
        for key in list(self._waiting):
            self.clear(key)
        await asyncio.gather(*self._ringing, return_exceptions=True)

    async def _wait(self, key: Hashable, at: float, ring: Ring) -> None:
        while (left := at - self._time.monotonic()) > 0:
            await self._time.sleep(min(left, LONGEST_SLEEP_S))
        del self._waiting[key]
        # Rings in a task of its own, so that `clear` never cancels what has begun.
        task = asyncio.create_task(self._ring(key, ring))
        self._ringing.add(task)
        task.add_done_callback(self._ringing.discard)

    async def _ring(self, key: Hashable, ring: Ring) -> None:
        try:
            await ring()
        except Exception:
            log.exception("alarm_failed", alarm=str(key), retry_s=RETRY_S)
            if key not in self._waiting:
                self.set(key, self._time.monotonic() + RETRY_S, ring)
