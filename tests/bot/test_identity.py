"""One identity: challenges answered, games counted, games sought."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.clock import TimePolicy
from bot.errors import PeerError
from bot.identity import Identity, IdentityOptions
from bot.journal import open_journal
from bot.own_records import RecordBook
from bot.platforms.base import (
    Challenge,
    ChallengeGone,
    ChallengeOffered,
    Connected,
    GameChanged,
    NoAnswer,
    Outcome,
    Participant,
    PlatformEvent,
)
from bot.records.model import EngineSettings
from bot.session import SessionTools
from bot.settings import DrawSettings, PolicySettings, ResignSettings, SeekSettings
from tests.fakes.platform import SETUP, FakePlatform, facts
from tests.fakes.thinker import FakeThinker
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

WELCOME = Connected("Granite", "fake", frozenset())


def challenge(known_as: str, opponent: str = "Ann") -> ChallengeOffered:
    return ChallengeOffered(Challenge(known_as, SETUP, Participant(opponent, "person")))


class Desk:
    """An identity at work, and the platform that it believes in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = FakeTime()
        self.platform = FakePlatform()
        self.thinker = FakeThinker()

    @asynccontextmanager
    async def open(self, seek: SeekSettings | None = None, **policy: Any) -> AsyncIterator["Desk"]:
        async with open_journal(self.folder / "journal.db") as journal:
            tools = SessionTools(
                label="arena",
                platform=self.platform,
                journal=journal,
                engines=self.thinker,
                time_source=self.time,
                time_policy=TimePolicy(),
                resign=ResignSettings(),
                draws=DrawSettings(),
                go_times={},
            )
            about = IdentityOptions(
                kind="arena",
                policy=PolicySettings.model_validate(policy),
                engine=EngineSettings(name="Fake"),
                seek=seek,
            )
            book = RecordBook(self.folder / "records.jsonl")
            self.identity = Identity(about, tools, self.platform, book, random.Random(1))
            task = asyncio.create_task(self.identity.run())
            try:
                await eventually(lambda: self.platform.sink is not None)
                await self.tell(WELCOME)
                yield self
            finally:
                task.cancel()
                await asyncio.wait({task})

    async def tell(self, event: PlatformEvent) -> None:
        assert self.platform.sink is not None
        await self.platform.sink(event)

    async def until(self, name: str, times: int = 1) -> tuple[object, ...]:
        await eventually(lambda: len(self.platform.named(name)) >= times)
        return self.platform.named(name)[times - 1]

    async def game_over(self, game_id: str) -> None:
        outcome = Outcome(1, "resignation")
        await self.tell(GameChanged(replace(facts(game_id=game_id), outcome=outcome)))
        await eventually(lambda: game_id not in self.identity.presence.games)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_promised_games_count(desk: Desk) -> None:
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.tell(challenge("c2", "Bob"))
        assert await desk.until("accept") == ("accept", "c1")
        assert (await desk.until("decline"))[1:3] == ("c2", "too_many_games")


async def test_a_place_is_free_again_after_the_game(desk: Desk) -> None:
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(ChallengeGone("c1", "started", "g1"))
        await desk.tell(challenge("c2", "Bob"))
        await desk.until("decline")
        await desk.tell(GameChanged(facts(game_id="g1")))
        await desk.game_over("g1")
        await desk.tell(challenge("c3", "Bob"))
        assert await desk.until("accept", 2) == ("accept", "c3")


@pytest.mark.parametrize(
    "event", [ChallengeGone("c1", "cancelled"), WELCOME], ids=["gone", "reconnected"]
)
async def test_a_promise_ends_with_its_challenge(desk: Desk, event: PlatformEvent) -> None:
    desk.platform.failures = [NoAnswer("challenge.accept: no answer in 5 s")]
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(event)
        await desk.tell(challenge("c2"))
        assert await desk.until("accept", 2) == ("accept", "c2")


async def test_a_refused_acceptance_frees_the_place(desk: Desk) -> None:
    desk.platform.failures = [PeerError("unknown_challenge", "no open challenge of that id")]
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(challenge("c2"))
        assert await desk.until("accept", 2) == ("accept", "c2")


async def test_open_challenges_are_not_declined(desk: Desk) -> None:
    offered = Challenge("c1", SETUP, Participant("Ann", "person"), is_open=True)
    async with desk.open():
        await desk.tell(ChallengeOffered(offered))
        await desk.tell(challenge("c2"))
        await desk.until("accept")
    assert desk.platform.named("decline") == []


async def test_seeking_alternates_seats_and_stops_after_its_games(desk: Desk) -> None:
    seek = SeekSettings(opponent="Basalt", games=2, board="pent-4")
    async with desk.open(seek):
        for number in (1, 2):
            _, _, opponent, seat = await desk.until("offer", number)
            assert (opponent, seat) == ("Basalt", number)
            await desk.tell(ChallengeGone(f"offer-{number}", "started", f"g{number}"))
            await desk.tell(GameChanged(facts(game_id=f"g{number}")))
            assert len(desk.platform.named("offer")) == number, "one after the other"
            await desk.game_over(f"g{number}")
        await desk.time.advance(3600)
    assert len(desk.platform.named("offer")) == 2


async def test_who_declines_is_asked_again_ever_less_often(desk: Desk) -> None:
    async with desk.open(SeekSettings(opponent="Basalt", games=1)):
        waits = []
        for number in range(1, 6):
            await desk.until("offer", number)
            await desk.tell(ChallengeGone(f"offer-{number}", "declined", code="draining"))
            await eventually(lambda: desk.time.sleepers > 0)
            began = desk.time.monotonic()
            while len(desk.platform.named("offer")) == number:
                await desk.time.advance(0.5)
            waits.append(desk.time.monotonic() - began)
    assert waits == sorted(waits)
    assert waits[-1] > 4 * waits[0]


async def test_draining_withdraws_what_was_offered_and_seeks_no_more(desk: Desk) -> None:
    async with desk.open(SeekSettings(opponent="Basalt")):
        await desk.until("offer")
        await eventually(lambda: bool(desk.identity.presence.connected))
        await desk.time.settle()
        desk.identity.drain()
        assert await desk.until("withdraw") == ("withdraw", "offer-1")
        await desk.tell(ChallengeGone("offer-1", "cancelled"))
        await desk.time.advance(3600)
        await desk.identity.until_drained()
    assert len(desk.platform.named("offer")) == 1


async def test_a_session_that_fails_is_begun_again(desk: Desk) -> None:
    async with desk.open():
        desk.thinker.turn_error = RuntimeError("a bug")
        await desk.tell(GameChanged(facts()))
        await eventually(lambda: desk.time.sleepers > 0)
        desk.thinker.turn_error = None
        await desk.time.advance(30)
        await desk.until("submit")
