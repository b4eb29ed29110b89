"""A game session on a platform that fails on purpose."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bot.backoff import Backoff
from bot.daemon.chooser import Chooser
from bot.daemon.journal import OpenWork, TurnJournal
from bot.daemon.scheduler import Scheduler
from bot.daemon.session import GameSession
from bot.daemon.settings import Conduct, DrawSettings, ResignSettings
from bot.daemon.time_manager import TimePolicy
from bot.platforms.base import GameFacts, GameOutcome
from bot.runtime.database import RETRY_S
from tests.fakes.platform import FakePlatform
from tests.fakes.thinker import FakeThinker
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


class Table:
    """A session in play, with everything around it a fake but the journal."""

    def __init__(self, journal: TurnJournal, file: Path, time: FakeTime) -> None:
        self.time = time
        self.file = file
        self.platform = FakePlatform()
        self.thinker = FakeThinker()
        self.journal = journal
        self.conduct = Conduct(TimePolicy(), ResignSettings(), DrawSettings())

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[GameSession]:
        session = GameSession(
            "g1",
            "fake",
            self.platform,
            Chooser(self.thinker, Scheduler(lambda: 1, self.time), self.journal, self.time),
            self.journal,
            self.conduct,
            self.time,
            Backoff(0.2, 15, random.Random(1)),
        )
        self.task = asyncio.create_task(session.run())
        try:
            yield session
        finally:
            self.task.cancel()
            await asyncio.wait({self.task})

    async def until(self, name: str, times: int = 1) -> tuple[object, ...]:
        """Wait for a call of the platform; the journal has a thread of its own."""
        await eventually(lambda: len(self.platform.named(name)) >= times)
        return self.platform.named(name)[times - 1]

    async def until_open(self, *states: str) -> list[OpenWork]:
        """What is open, once it is in these states."""
        found = await self.journal.open_work()
        while [each.state for each in found] != [*states]:
            await asyncio.sleep(0.001)
            found = await self.journal.open_work()
        return found

    async def until_unwritable(self) -> None:
        await self.journal.writing.until_fails()
        await eventually(lambda: self.time.sleepers > 0)

    async def until_writable(self) -> None:
        while self.journal.writing.problem is not None:
            await self.time.advance(RETRY_S)
            await asyncio.sleep(0.001)

    async def pause_is_over(self) -> None:
        """Let the session's wait before it asks again pass."""
        await eventually(lambda: self.time.sleepers > 0)
        await self.time.advance(30)


def finished(game: GameFacts, reason: str = "played_out") -> GameFacts:
    return replace(game, outcome=GameOutcome(1, reason))
