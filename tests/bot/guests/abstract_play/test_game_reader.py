"""A game that a notice told of is read until it shows what was told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.errors import PeerError
from bot.guests.abstract_play.facts import NotOurs
from bot.guests.abstract_play.game_reader import WAITS_S, Attention
from bot.platforms.base import GameFacts, NoAnswer, NotNow
from tests.bot.guests.abstract_play.sinks import facts
from tests.fakes.time import FakeTime


class Site:
    """Answers reads with what it is given, the last one for ever."""

    def __init__(self, *answers: GameFacts | PeerError) -> None:
        self._answers = list(answers)
        self.reads = 0

    async def read(self, game_id: str) -> GameFacts:
        assert game_id == "g1"
        self.reads += 1
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, PeerError):
            raise answer
        return answer


@asynccontextmanager
async def attention_to(site: Site, time: FakeTime) -> AsyncIterator[Attention]:
    async with asyncio.TaskGroup() as tasks:
        yield Attention(site.read, time, tasks)
        await time.advance(sum(WAITS_S))


async def test_one_read_is_enough_where_it_shows_the_turn() -> None:
    site = Site(facts(5))
    async with attention_to(site, FakeTime()) as attention:
        attention.want("g1", 5)
    assert site.reads == 1


async def test_a_read_that_is_older_than_the_notice_is_read_again() -> None:
    site = Site(facts(4, ours=False), facts(4, ours=False), facts(5))
    async with attention_to(site, FakeTime()) as attention:
        attention.want("g1", 5)
    assert site.reads == 3


async def test_a_notice_older_than_the_game_is_harmless() -> None:
    site = Site(facts(6))
    async with attention_to(site, FakeTime()) as attention:
        attention.want("g1", 5)
    assert site.reads == 1


async def test_no_answer_is_tried_again_and_at_last_left_to_the_sweep() -> None:
    site = Site(NoAnswer("504"))
    async with attention_to(site, FakeTime()) as attention:
        attention.want("g1", 5)
    assert site.reads == len(WAITS_S)


async def test_a_platform_that_is_down_is_left_to_the_sweep_too() -> None:
    time, site = FakeTime(), Site(NotNow("unavailable", "504", 5.0))
    async with attention_to(site, time) as attention:
        attention.want("g1", 5)
        await time.advance(3600)
    assert site.reads == len(WAITS_S)


async def test_a_pause_that_the_platform_wants_is_kept() -> None:
    time, site = FakeTime(), Site(NotNow("too_many", "429", 20.0), facts(5))
    async with attention_to(site, time) as attention:
        attention.want("g1", 5)
        await time.advance(19)
        assert site.reads == 1
        await time.advance(1)
        assert site.reads == 2


async def test_a_game_that_we_do_not_play_is_read_once() -> None:
    site = Site(NotOurs("size-99 is not played by us", "unknown_game"))
    async with attention_to(site, FakeTime()) as attention:
        attention.want("g1", 5)
    assert site.reads == 1


async def test_the_same_notice_twice_is_one_piece_of_work() -> None:
    site = Site(facts(5))
    async with attention_to(site, FakeTime()) as attention:
        attention.want("g1", 5)
        attention.want("g1", 5)
    assert site.reads == 1


async def test_a_notice_that_comes_while_the_game_is_read_counts() -> None:
    time, site = FakeTime(), Site(facts(4, ours=False), facts(4, ours=False), facts(7))
    async with attention_to(site, time) as attention:
        attention.want("g1", 5)
        await time.advance(0)
        attention.want("g1", 7)
    assert site.reads == 3
