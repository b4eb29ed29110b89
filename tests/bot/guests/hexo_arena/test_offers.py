"""Challenges of ours: whom they name, and what becomes of them."""

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.errors import PeerError
from bot.guests.hexo_arena.api import Api, DailyCap
from bot.guests.hexo_arena.challenger import (
    ALL,
    ChallengePolicy,
    Challenger,
    ChosenOpponent,
    bot_key,
)
from bot.guests.hexo_arena.connection import LIVES_S
from bot.guests.hexo_arena.messages import Challenge, TurnClock
from bot.guests.hexo_arena.offers import Offers, first_player
from bot.guests.hexo_arena.store import Store
from bot.platforms.base import ChallengeGone, NoAnswer, NotNow, PlatformEvent, Seat
from bot.platforms.challenges import PendingChallenges
from tests.bot.guests.hexo_arena.fake_server import challenge
from tests.fakes.time import FakeTime

ANN = ChosenOpponent("Ann", TurnClock(mode="turn", turn_time_ms=15_000))


@pytest.mark.parametrize(("plies", "first_seat"), [(1, 2), (3, 1), (5, 2), (7, 1), (9, 2)])
def test_we_get_the_seat_that_was_asked_for(plies: int, first_seat: Seat) -> None:
    """The first free turn is that of o after 1, 5 and 9 stones, and that of x after 3 and 7."""
    other: Seat = 1 if first_seat == 2 else 2
    assert first_player(first_seat, plies) == "challenger"
    assert first_player(other, plies) == "challenged"


class FakeApi(Api):
    """Answers each challenge with the next of its answers."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any] | PeerError] = []
        self.requests: list[str] = []

    async def challenge(self, opponent: str, clock: object, opening: int, *more: str) -> Challenge:
        del clock, opening
        assert opponent == "Ann"
        self.requests.append(more[1])
        answer = self.answers.pop(0)
        if isinstance(answer, PeerError):
            raise answer
        return Challenge.model_validate(answer)


class Bench:
    def __init__(self, store: Store, time: FakeTime) -> None:
        self.api = FakeApi()
        self.store = store
        self.time = time
        self.challenges = PendingChallenges(LIVES_S, time)
        self.events: list[PlatformEvent] = []
        policy, rng = ChallengePolicy(), random.Random(1)
        challenger = Challenger(policy, self.api, store, time, rng)
        self.offers = Offers(self.api, store, self.challenges, challenger, self.sink, time, rng)

    async def sink(self, event: PlatformEvent) -> None:
        self.events.append(event)

    async def fates(self) -> list[str]:
        since = self.time.wall() - timedelta(days=1)
        return [each.fate for each in await self.store.challenges_since(since)]

    async def held_back(self) -> dict[str, float]:
        """What is held back, each for how many seconds."""
        now = self.time.wall()
        held = await self.store.held_back(now)
        return {what: (until - now).total_seconds() for what, until in held.items()}


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    time = FakeTime()
    async with Store.opened(tmp_path / "store.db") as store:
        yield Bench(store, time)


async def test_a_challenge_is_open_until_its_game_begins(bench: Bench) -> None:
    bench.api.answers = [challenge("c1", "Granite")]
    assert await bench.offers.send(ANN, 1) == "c1"
    assert await bench.fates() == ["open"]
    assert bench.challenges.own_ids == {"c1"}
    await bench.offers.gone(ChallengeGone("c1", "started", "g1"))
    assert (await bench.fates(), await bench.held_back()) == (["began"], {})


async def test_a_bot_that_declines_or_does_not_answer_is_left_alone(bench: Bench) -> None:
    for state in ("declined", "expired"):
        bench.api.answers = [challenge("c1", "Granite")]
        await bench.offers.send(ANN, 1)
        await bench.offers.gone(ChallengeGone("c1", state))
        assert await bench.held_back() == {bot_key("Ann"): 600}
    assert await bench.fates() == ["declined", "declined"]


async def test_a_stored_challenge_that_was_declined_meanwhile_is_no_game(bench: Bench) -> None:
    """The server answers a repeated request with the challenge as it is now."""
    bench.api.answers = [challenge("c1", "Granite", "declined")]
    with pytest.raises(PeerError, match="declined"):
        await bench.offers.send(ANN, 1)
    assert (await bench.fates(), bench.challenges.opponents) == (["declined"], [])


async def test_a_challenge_that_was_never_answered_may_be_open(bench: Bench) -> None:
    bench.api.answers = [NoAnswer("cut")] * 3
    sending = asyncio.create_task(bench.offers.send(ANN, 1))
    while len(bench.api.requests) < 3:
        await bench.time.advance(1)
        await asyncio.sleep(0.001)
    with pytest.raises(NoAnswer):
        await sending
    assert len(set(bench.api.requests)) == 1
    assert await bench.fates() == ["sent"]


@pytest.mark.parametrize(
    ("error", "held"),
    [
        (PeerError("bot_busy", "four games"), {bot_key("Ann"): 60}),
        (PeerError("clock_not_accepted", "no"), {bot_key("Ann"): 600}),
        (DailyCap("daily_pair_cap", "twenty", 7200), {bot_key("Ann"): 7200}),
        (DailyCap("daily_bot_cap", "a hundred", 7200), {ALL: 7200}),
        (NotNow("paused", "later", 60), {}),
    ],
)
async def test_refusals_are_remembered_for_as_long_as_they_last(
    bench: Bench, error: PeerError, held: dict[str, float]
) -> None:
    bench.api.answers = [error]
    with pytest.raises(PeerError):
        await bench.offers.send(ANN, 1)
    assert (await bench.fates(), await bench.held_back()) == (["refused"], held)
