"""Tells the server how many searches come before ours, so that the opponent knows why we wait."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from bot.errors import PeerError
from bot.platforms.base import GameFacts, Platform
from bot.runtime.tasks import cancelled
from bot.time_source import TimeSource

PAUSE_S: Final = 3.0
"""Before the first notice and between two: a short wait needs none, and turns come first."""


class QueueNotice:
    """Sends the newest number of one turn, within a block, if it is not the one sent last.

    A notice that fails is dropped, because only people read it.
    """

    def __init__(self, platform: Platform, facts: GameFacts, time_source: TimeSource) -> None:
        self._platform = platform
        self._facts = facts
        self._time = time_source
        self._before = 0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._task is not None:
            await cancelled(self._task)

    def note(self, before: int) -> None:
        """Note that so many searches end before ours begins; 0: it has begun."""
        self._before = before
        if before and self._task is None:
            self._task = asyncio.create_task(self._send())

    async def _send(self) -> None:
        sent = 0
        while True:
            await self._time.sleep(PAUSE_S)
            if self._before != sent:
                sent = self._before
                with suppress(PeerError):
                    await self._platform.report_queue(self._facts.game_id, self._facts.ply, sent)
