"""Turns by correspondence: they wait for their place, and get their time when they have it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

import engine
from bot.daemon.chooser import Chooser, Due
from bot.daemon.journal import TurnJournal, WorkKey, open_journal
from bot.daemon.scheduler import Scheduler
from bot.daemon.time_manager import TimePolicy
from bot.engines.pool import EnginePool
from bot.time_controls import Correspondence, TimeControl
from bot.time_source import SystemTime
from tests.bot.engines.fakes import fake
from tests.fakes.platform import SETUP, facts
from tests.fakes.thinker import FakeThinker
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

HOUR = 3600.0
TWO_DAYS = Correspondence(initial_s=48 * HOUR, increment_s=12 * HOUR, maximum_s=96 * HOUR)
KEY = WorkKey("fake", "g1", 2)
TURNS = ("3-0", "2-0,1-1")


class Room:
    def __init__(self, journal: TurnJournal, time: FakeTime) -> None:
        self.journal = journal
        self.time = time
        self.thinker = FakeThinker()
        self.scheduler = Scheduler(lambda: 1, time)
        self.chooser = Chooser(self.thinker, self.scheduler, journal, time)

    def due(
        self,
        game_id: str = KEY.game,
        arrived: float | None = None,
        control: TimeControl = TWO_DAYS,
    ) -> Due:
        setup = replace(SETUP, control=control)
        position = engine.game(setup.game, setup.board, setup.rules).replay(TURNS)
        at = self.time.monotonic() if arrived is None else arrived
        standing = facts(*TURNS, setup=setup, arrived=at, game_id=game_id)
        return Due(replace(KEY, game=game_id), standing, position)

    async def state(self) -> str:
        (work,) = await self.journal.open_work()
        return work.state


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    time = FakeTime()
    async with open_journal(tmp_path / "journal.db", time) as journal:
        await journal.accept(KEY)
        yield Room(journal, time)


async def test_the_budget_is_made_when_the_waiting_is_over(room: Room) -> None:
    at_once = await room.chooser.choose(room.due(), TimePolicy())
    room.thinker.hold()
    choosing = asyncio.create_task(room.chooser.choose(room.due(), TimePolicy()))
    await eventually(lambda: room.scheduler.waiting == 1)
    await room.time.advance(40 * HOUR)
    room.thinker.release()
    late = await choosing
    assert 25_000 < at_once.budget.think_ms < 30_000
    assert 15_000 < late.budget.think_ms < 22_000
    assert [late.budget] == room.thinker.budgets[1:]
    assert room.scheduler.waiting == 0


async def test_the_journal_shows_waiting_and_thinking_turns(room: Room) -> None:
    room.thinker.hold()
    choosing = asyncio.create_task(room.chooser.choose(room.due(), TimePolicy()))
    await eventually(lambda: room.scheduler.waiting == 1)
    assert await room.state() == "accepted"
    room.thinker.release()
    await choosing
    assert await room.state() == "thinking"


async def test_a_cancelled_choice_restores_the_queue_and_the_journal(room: Room) -> None:
    room.thinker.hold()
    choosing = asyncio.create_task(room.chooser.choose(room.due(), TimePolicy()))
    await eventually(lambda: room.scheduler.waiting == 1)
    choosing.cancel()
    await asyncio.wait({choosing})
    assert room.scheduler.waiting == 0
    assert await room.state() == "accepted"


async def test_the_clock_that_is_out_leaves_a_short_turn_of_the_engine(room: Room) -> None:
    due = room.due()
    await room.time.advance(72 * HOUR)
    late = await room.chooser.choose(due, TimePolicy())
    assert late.answer.source == "engine"
    assert late.budget.think_ms <= 500
    assert late.budget.hard_ms >= 1000


async def test_many_games_on_two_engines_are_all_the_engines(room: Room) -> None:
    """Asked all at once, with a live game among them; the engines answer in their own time."""
    spec = fake("ok", "--turns", "3-0", "pass", "0-0,2-2")
    async with EnginePool(spec, 2, SystemTime()) as pool:
        scheduler = Scheduler(lambda: pool.share, SystemTime())
        chooser = Chooser(pool, scheduler, room.journal, SystemTime(), pool.user("fake", {}))
        now = SystemTime().monotonic()
        dues = [room.due(f"g{number}", arrived=now) for number in range(40)]
        dues.append(room.due("live", arrived=now, control=SETUP.control))
        found = await asyncio.gather(*(chooser.choose(due, TimePolicy()) for due in dues))
    assert {(each.answer.source, each.answer.turn) for each in found} == {("engine", "0-0,2-2")}
    assert scheduler.waiting == 0
