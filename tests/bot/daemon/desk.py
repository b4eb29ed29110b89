"""An identity at work, with a platform that does as the test says."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.daemon.identity import Identity, IdentityOptions
from bot.daemon.journal import open_journal
from bot.daemon.record_book import RecordBook
from bot.daemon.scheduler import Scheduler
from bot.daemon.settings import Conduct, DrawSettings, PolicySettings, ResignSettings, SeekSettings
from bot.daemon.time_manager import TimePolicy
from bot.platforms.base import (
    ChallengeFacts,
    ChallengeOffered,
    Connected,
    GameChanged,
    GameOutcome,
    Participant,
    PlatformEvent,
)
from bot.platforms.settings import TokenFile
from bot.records.model import EngineSettings
from bot.runtime.database import RETRY_S
from tests.fakes.platform import CONTROL, SETUP, FakeChallengingPlatform, facts
from tests.fakes.thinker import FakeThinker
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

WELCOME = Connected("Granite", "fake", frozenset())


def challenge(challenge_id: str, opponent: str = "Ann") -> ChallengeOffered:
    return ChallengeOffered(ChallengeFacts(challenge_id, SETUP, Participant(opponent, "person")))


SOUGHT = SeekSettings(opponent="Ann", board="pent-4", clock=CONTROL, at_once=2, games=3)


class Desk:
    """An identity at work, and the platform that it believes in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "journal.db"
        self.time = FakeTime()
        self.platform = FakeChallengingPlatform()
        self.thinker = FakeThinker()
        self.token_file: TokenFile | None = None

    @asynccontextmanager
    async def open(self, seek: SeekSettings | None = None, **policy: Any) -> AsyncIterator["Desk"]:
        async with open_journal(self.file, self.time) as self.journal:
            about = IdentityOptions(
                token_file=self.token_file,
                label="fake",
                kind="fake",
                engine=EngineSettings(name="Fake"),
                policy=PolicySettings.model_validate(policy),
                conduct=Conduct(TimePolicy(), ResignSettings(), DrawSettings()),
                seek=seek,
            )
            self.book = RecordBook(self.folder / "records.jsonl", self.time)
            self.identity = Identity(
                about,
                self.platform,
                self.thinker,
                Scheduler(lambda: 1, self.time),
                self.journal,
                self.book,
                self.time,
                random.Random(1),
            )
            await self.begin(WELCOME)
            try:
                yield self
            finally:
                await self.end()

    async def begin(self, welcome: Connected) -> None:
        self.platform.sink = None
        self._running = asyncio.create_task(self.identity.run())
        await eventually(lambda: self.platform.sink is not None)
        await self.tell(welcome)

    async def end(self) -> None:
        self._running.cancel()
        await asyncio.wait({self._running})

    async def tell(self, event: PlatformEvent) -> None:
        assert self.platform.sink is not None
        await self.platform.sink(event)

    async def until(self, name: str, times: int = 1) -> tuple[object, ...]:
        await eventually(lambda: len(self.platform.named(name)) >= times)
        return self.platform.named(name)[times - 1]

    async def until_writable(self) -> None:
        while self.journal.writing.problem is not None:
            await self.time.advance(RETRY_S)
            await asyncio.sleep(0.001)

    async def game_over(self, game_id: str) -> None:
        outcome = GameOutcome(1, "resignation")
        await self.tell(GameChanged(replace(facts(game_id=game_id), outcome=outcome)))
        await eventually(lambda: game_id not in self.identity.status.games)
