"""The newest state of a game, and ways to wait for it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import TypeVar

from bot.platforms.base import GameChanged, GameFacts
from bot.runtime.tasks import within
from bot.time_source import TimeSource

T = TypeVar("T")


class Inbox:
    """Holds the newest state, and whether any state since the last `take` was requested.

    Only one task may read it.
    """

    def __init__(self, time_source: TimeSource) -> None:
        self._time = time_source
        self._newest: GameChanged | None = None
        self._wake = asyncio.Event()

    def has_news(self) -> bool:
        """Return whether a state has arrived that was not taken yet."""
        return self._newest is not None

    def put(self, change: GameChanged) -> None:
        asked_for = change.resync or (self._newest is not None and self._newest.resync)
        self._newest = GameChanged(change.facts, asked_for)
        self._wake.set()

    async def take(self) -> GameChanged:
        while self._newest is None:
            await self._wake.wait()
            self._wake.clear()
        change, self._newest = self._newest, None
        return change

    async def pause(self, seconds: float) -> None:
        """Sleep, but no longer than until a state arrives."""
        self._wake.clear()
        with suppress(TimeoutError):
            await within(self._time, seconds, self._wake.wait())

    async def during(
        self,
        work: Coroutine[object, object, T],
        is_wanted: Callable[[GameFacts], Awaitable[bool]],
    ) -> T | None:
        """Return what `work` returns; None if `is_wanted` rejects a newer state, which cancels
        `work`.

        States stay in the inbox.
        """
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self._wake.set())
        try:
            while not task.done():
                await self._wake.wait()
                self._wake.clear()
                if self._newest is not None and not await is_wanted(self._newest.facts):
                    return None
            return task.result()
        finally:
            task.cancel()
            await asyncio.wait({task})
