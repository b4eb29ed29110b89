"""One identity: challenges answered, games counted, games sought."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.daemon.identity import Identity, IdentityOptions
from bot.daemon.journal import RETRY_S, open_journal
from bot.daemon.record_book import RecordBook
from bot.daemon.session import Conduct
from bot.daemon.settings import DrawSettings, PolicySettings, ResignSettings, SeekSettings
from bot.daemon.time_manager import TimePolicy
from bot.errors import HostError, PeerError
from bot.platforms.base import (
    Challenge,
    ChallengeGone,
    ChallengeOffered,
    Connected,
    GameChanged,
    NoAnswer,
    NotNow,
    Outcome,
    Participant,
    PlatformEvent,
)
from bot.records.model import EngineSettings
from bot.time_controls import Untimed
from engine.warming import parts_of
from tests.fakes.locked import locked
from tests.fakes.platform import CONTROL, SETUP, FakeChallengingPlatform, facts
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
        self.file = folder / "journal.db"
        self.time = FakeTime()
        self.platform = FakeChallengingPlatform()
        self.thinker = FakeThinker()

    @asynccontextmanager
    async def open(self, seek: SeekSettings | None = None, **policy: Any) -> AsyncIterator["Desk"]:
        async with open_journal(self.file, self.time) as self.journal:
            about = IdentityOptions(
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
        outcome = Outcome(1, "resignation")
        await self.tell(GameChanged(replace(facts(game_id=game_id), outcome=outcome)))
        await eventually(lambda: game_id not in self.identity.status.games)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_promised_games_count(desk: Desk) -> None:
    async with desk.open(max_games=1):
        await desk.tell(challenge("c1"))
        await desk.tell(challenge("c2", "Bob"))
        assert await desk.until("accept") == ("accept", "c1")
        assert (await desk.until("decline"))[1:3] == ("c2", "too_many_games")


async def test_a_game_that_is_not_begun_gives_up_its_place_when_others_wait(desk: Desk) -> None:
    begun = facts("0-0", "1-0,3-0", game_id="begun", seat=2, arrived=0.0)
    untimed = replace(facts(game_id="untimed", seat=2).setup, control=Untimed())
    async with desk.open(max_games=4):
        await desk.tell(GameChanged(begun))
        await desk.tell(GameChanged(facts(game_id="untimed", seat=2, setup=untimed, arrived=0.0)))
        for game_id, arrived in (("later", 1010.0), ("first", 1000.0)):
            await desk.tell(GameChanged(facts(game_id=game_id, seat=2, arrived=arrived)))
        await desk.time.advance(599)
        await desk.tell(challenge("c1"))
        await desk.until("decline")
        await desk.time.settle()
        assert not desk.platform.named("abort")
        await desk.tell(GameChanged(facts(game_id="first", seat=2, arrived=1599.0)))  # no news
        await desk.time.advance(21)
        await desk.tell(challenge("c2"))
        await desk.until("decline", 2)
        assert await desk.until("abort") == ("abort", "first")
        await desk.time.settle()
        assert len(desk.platform.named("abort")) == 1


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


async def test_a_game_is_taken_once_its_engine_is_compiled(desk: Desk) -> None:
    desk.thinker.kernels.now_missing(parts_of("bluestone"))
    async with desk.open():
        await desk.tell(challenge("c1"))
        assert (await desk.until("decline"))[1:3] == ("c1", "warming")
        desk.thinker.kernels.now_missing(())
        await desk.tell(challenge("c2"))
        assert await desk.until("accept") == ("accept", "c2")


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
        await eventually(lambda: bool(desk.identity.status.connected))
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


# ---- a journal that cannot be written ----------------------------------------------------------


async def test_a_full_disk_ends_no_game_and_takes_no_new_one(desk: Desk) -> None:
    async with desk.open():
        with locked(desk.file):
            with pytest.raises(HostError, match="journal"):
                await desk.tell(GameChanged(facts()))
            assert desk.identity.status.games.keys() == {"g1"}
            await desk.tell(challenge("c1"))
            assert (await desk.until("decline"))[1:3] == ("c1", "disk")
            assert desk.platform.named("submit") == []
        await desk.until_writable()
        await desk.until("submit")
        await desk.tell(GameChanged(facts("3-0")))
        assert await desk.journal.games("fake") == {"g1"}, "the next event makes up for it"
        await desk.tell(challenge("c2"))
        await desk.until("accept")


async def test_nothing_is_sought_while_nothing_can_be_written(desk: Desk) -> None:
    async with desk.open(SeekSettings(opponent="Basalt")):
        await desk.until("offer")
        with locked(desk.file):
            with pytest.raises(HostError):
                await desk.tell(GameChanged(facts(game_id="g2", seat=2)))
            await desk.tell(ChallengeGone("offer-1", "declined"))
            await desk.time.advance(30)
            assert len(desk.platform.named("offer")) == 1
        await desk.until_writable()
        await desk.until("offer", 2)


async def test_a_record_that_cannot_be_written_is_written_later(desk: Desk) -> None:
    records = desk.folder / "records.jsonl"
    async with desk.open():
        await desk.tell(GameChanged(facts(seat=2)))
        records.mkdir()  # what nobody can append to
        await desk.tell(GameChanged(replace(facts(seat=2), outcome=Outcome(1, "resignation"))))
        await eventually(lambda: desk.book.writing.problem is not None)
        records.rmdir()
        while desk.identity.status.games:
            await desk.time.advance(15)
            await asyncio.sleep(0.001)
        assert desk.book.writing.problem is None
        assert records.read_text().count("\n") == 1


# ---- begun again -------------------------------------------------------------------------------

SOUGHT = SeekSettings(opponent="Ann", board="pent-4", clock=CONTROL, at_once=2, games=3)


def welcome(*running: str, own: frozenset[str] = frozenset()) -> Connected:
    return Connected("Granite", "fake", frozenset(running), own, own)


async def sought_games(desk: Desk, *game_ids: str) -> None:
    for number, game_id in enumerate(game_ids, 1):
        await desk.until("offer", number)
        await desk.tell(ChallengeGone(f"offer-{number}", "started", game_id))
        await desk.tell(GameChanged(facts(game_id=game_id)))


async def test_games_that_run_already_count_for_who_is_begun_again(desk: Desk) -> None:
    async with desk.open(SOUGHT):
        await sought_games(desk, "g1", "g2")
        await desk.end()
        await desk.begin(welcome("g1", "g2"))
        await desk.time.advance(3600)
        for game_id in ("g1", "g2"):
            await desk.tell(GameChanged(facts(game_id=game_id), resync=True))
        await desk.time.advance(3600)
        assert len(desk.platform.named("offer")) == 2, "both games are running still"
        await desk.game_over("g1")
        await desk.until("offer", 3)
        await desk.game_over("g2")
        await desk.time.advance(3600)
    assert len(desk.platform.named("offer")) == 3, "three games were wanted"


async def test_games_of_another_kind_do_not_count(desk: Desk) -> None:
    async with desk.open(SOUGHT.model_copy(update={"opponent": "Basalt"})):
        await desk.end()
        await desk.begin(welcome("g1"))
        await desk.tell(GameChanged(facts(game_id="g1"), resync=True))
        await desk.until("offer", 2)


async def test_games_for_which_others_asked_do_not_count(desk: Desk) -> None:
    async with desk.open(SOUGHT.model_copy(update={"at_once": 1, "games": 2})):
        await desk.until("offer")
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(ChallengeGone("c1", "started", "g1"))
        await desk.tell(GameChanged(facts(game_id="g1")))
        await desk.tell(ChallengeGone("offer-1", "declined"))
        await eventually(lambda: desk.time.sleepers > 0)
        await desk.time.advance(3)
        await desk.until("offer", 2)


async def test_an_offer_that_was_forgotten_is_taken_back_before_another_is_made(
    desk: Desk,
) -> None:
    async with desk.open(SOUGHT.model_copy(update={"at_once": 1})):
        await desk.until("offer")
        await desk.end()
        await desk.begin(welcome(own=frozenset({"offer-1"})))
        assert await desk.until("withdraw") == ("withdraw", "offer-1")
        await desk.time.advance(3600)
        assert len(desk.platform.named("offer")) == 1
        await desk.tell(ChallengeGone("offer-1", "cancelled"))
        await desk.until("offer", 2)


async def test_a_forgotten_offer_that_became_a_game_is_followed(desk: Desk) -> None:
    desk.platform.failures = []
    async with desk.open(SOUGHT.model_copy(update={"at_once": 1})):
        await desk.until("offer")
        await desk.end()
        desk.platform.failures = [PeerError("unknown_challenge", "no open challenge of that id")]
        await desk.begin(welcome("g1", own=frozenset({"offer-1"})))
        await desk.until("withdraw")
        await desk.tell(GameChanged(facts(game_id="g1"), resync=True))
        await desk.time.advance(3600)
        assert len(desk.platform.named("offer")) == 1
        await desk.game_over("g1")
        await desk.until("offer", 2)


# ---- a server that cannot at present -----------------------------------------------------------


@pytest.mark.parametrize("event", ["accept", "decline", "offer"])
async def test_what_a_server_cannot_do_at_present_is_asked_again(desk: Desk, event: str) -> None:
    later = NotNow("unavailable", "the server cannot write to its disk", retry_after_s=3)
    seek = SOUGHT.model_copy(update={"at_once": 1}) if event == "offer" else None
    desk.platform.failures = [later, later]
    async with desk.open(seek, block=["Ann"] if event == "decline" else []):
        if seek is None:
            await desk.tell(challenge("c1"))
        for times in (1, 2):
            await desk.until(event, times)
            await eventually(lambda: desk.time.sleepers > 0)
            await desk.time.advance(3)
        assert await desk.until(event, 3) == await desk.until(event, 1)
