"""Whom the bot challenges, and when."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import cast

import pytest

from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.challenger import (
    ALL,
    ChallengePolicy,
    Challenger,
    ChosenOpponent,
    Day,
    bot_key,
    choose,
    covers,
    first_clock,
    wait_s,
)
from bot.guests.hexo_arena.messages import Accepts, BotListing, MatchClock, TurnClock, Unlimited
from bot.guests.hexo_arena.store import Fate, SentChallenge, Store
from bot.platforms.base import NotNow
from bot.time_controls import Fischer, PerTurn, Untimed
from tests.fakes.time import EPOCH, FakeTime

NOW = EPOCH + timedelta(hours=13)
POLICY = ChallengePolicy(clocks=(PerTurn(turn_s=15), Fischer(initial_s=180, increment_s=2)))
TURNS = Accepts(turn_ms=(5_000, 60_000))
CLOCK = TurnClock(mode="turn", turn_time_ms=15_000)


def bot(name: str, rating: object = 1500, **more: object) -> BotListing:
    known = {
        "name": name,
        "ownerName": f"owner of {name}",
        "online": True,
        "openForChallenges": True,
        "rating": rating,
        "liveGames": 0,
        "accepts": TURNS,
    }
    return BotListing.model_validate({**known, **more})


def day(
    *played: str,
    sent: Sequence[SentChallenge] = (),
    held: dict[str, datetime] | None = None,
    now: datetime = NOW,
) -> Day:
    return Day(now, sent, played, held or {})


def sent(opponent: str, seconds_ago: float, fate: Fate = "open") -> SentChallenge:
    return SentChallenge("r", opponent, NOW - timedelta(seconds=seconds_ago), fate)


def chosen(
    *bots: BotListing,
    policy: ChallengePolicy = POLICY,
    today: Day | None = None,
    busy: Sequence[str] = (),
) -> str | None:
    ours = bot("Granite", ownerName="me")
    choice = choose(policy, [ours, *bots], "Granite", 1500, today or day(), busy, random.Random(1))
    return None if choice is None else choice.opponent


def test_the_nearest_rating_is_chosen_with_a_clock_that_it_plays() -> None:
    bots = [bot("far", 1900), bot("near", 1520), bot("low", 1300)]
    choice = choose(POLICY, bots, "Granite", 1500, day(), (), random.Random(1))
    assert choice == ChosenOpponent("near", CLOCK)


def test_the_bot_with_fewer_games_today_comes_first() -> None:
    bots = (bot("near", 1510), bot("far", 1900))
    assert chosen(*bots, today=day("near", "near", "far")) == "far"


@pytest.mark.parametrize(
    "change",
    [
        {"online": False},
        {"openForChallenges": False},
        {"liveGames": 4},
        {"accepts": None},
        {"accepts": Accepts(turn_ms=(20_000, 60_000))},
        {"ownerName": "me"},
    ],
)
def test_who_cannot_play_is_not_challenged(change: dict[str, object]) -> None:
    assert chosen(bot("Ann")) == "Ann"
    assert chosen(bot("Ann", **change)) is None


def test_the_policy_says_whom() -> None:
    bots = (bot("Ann"), bot("Bea", 1700))
    policy = ChallengePolicy(opponents=("b*",), clocks=POLICY.clocks)
    assert chosen(*bots, policy=policy) == "Bea"
    assert chosen(*bots, policy=ChallengePolicy(block=("ANN",), clocks=POLICY.clocks)) == "Bea"
    near = ChallengePolicy(rating_range=100, clocks=POLICY.clocks)
    assert chosen(bots[1], policy=near) is None


def test_nobody_is_asked_twice_at_once() -> None:
    assert chosen(bot("Ann"), busy=("Ann",)) is None
    assert chosen(bot("Ann"), today=day(sent=[sent("Ann", 30)])) is None
    assert chosen(bot("Ann"), today=day(sent=[sent("Ann", 30, "sent")])) is None
    assert chosen(bot("Ann"), today=day(sent=[sent("Ann", 30, "declined")])) == "Ann"
    assert chosen(bot("Ann"), today=day(sent=[sent("Ann", 30, "began")])) is None
    assert chosen(bot("Ann"), today=day(sent=[sent("Ann", 76)])) == "Ann"


def test_caps_of_a_pair_and_pauses_are_kept() -> None:
    assert chosen(bot("Ann"), today=day(*["Ann"] * 9)) == "Ann"
    assert chosen(bot("Ann"), today=day(*["Ann"] * 10)) is None
    held = {bot_key("Ann"): NOW + timedelta(seconds=1)}
    assert chosen(bot("Ann"), today=day(held=held)) is None


class Directory:
    """An `Api` with a directory, which counts how often it is read."""

    def __init__(self) -> None:
        self.bots: list[BotListing] = []
        self.reads = 0

    async def directory(self) -> list[BotListing]:
        self.reads += 1
        return self.bots


class NothingStored:
    """A `Store` of a bot that has not done anything today."""

    async def challenges_since(self, _: datetime) -> list[SentChallenge]:
        return []

    async def games_since(self, _: datetime) -> list[str]:
        return []

    async def held_back(self, _: datetime) -> dict[str, datetime]:
        return {}


async def test_a_bot_that_comes_later_does_not_wait_for_the_usual_read_of_the_directory() -> None:
    api, time = Directory(), FakeTime()
    challenger = Challenger(
        POLICY, cast("Api", api), cast("Store", NothingStored()), time, random.Random(1)
    )
    with pytest.raises(NotNow) as refusal:
        await challenger.choose("Me", 1500, ())
    api.bots = [bot("Ann")]
    await time.advance(refusal.value.retry_after_s)
    assert time.monotonic() - 1000 < POLICY.directory_s
    for _ in range(2):
        assert (await challenger.choose("Me", 1500, ())).opponent == "Ann"
    assert api.reads == 2


def test_challenges_keep_their_distance() -> None:
    assert wait_s(POLICY, day()) == 0
    assert wait_s(POLICY, day(sent=[sent("Ann", 20)])) == pytest.approx(40)
    assert wait_s(POLICY, day(sent=[sent("Ann", 61)])) <= 0


def test_after_the_caps_of_a_day_it_waits_for_midnight_utc() -> None:
    until_midnight = 11 * 3600
    assert wait_s(POLICY, day(*["Ann"] * 100)) == until_midnight
    many = [sent("Ann", 3600, "declined")] * 200
    assert wait_s(POLICY, day(sent=many)) == until_midnight
    held = {ALL: NOW + timedelta(hours=2)}
    assert wait_s(POLICY, day(held=held)) == 7200


def test_clocks_are_covered_as_the_server_says() -> None:
    match = MatchClock(mode="match", main_time_ms=180_000, increment_ms=2_000)
    unlimited = Unlimited(mode="unlimited")
    assert not covers(None, CLOCK)
    assert [covers(TURNS, each) for each in (CLOCK, match, unlimited)] == [True, False, False]
    both = Accepts(match=True, unlimited=True)
    assert [covers(both, each) for each in (CLOCK, match, unlimited)] == [False, True, True]
    assert covers(Accepts(turn_ms=(15_000, 15_000)), CLOCK)


def test_the_first_clock_that_fits_is_offered() -> None:
    clocks = (Untimed(), Fischer(initial_s=180, increment_s=2), PerTurn(turn_s=15))
    clock = first_clock(clocks, Accepts(turn_ms=(5_000, 60_000), match=True))
    assert clock == MatchClock(mode="match", main_time_ms=180_000, increment_ms=2_000)
    assert first_clock(clocks, None) is None
