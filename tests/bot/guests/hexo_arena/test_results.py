"""How a game ended: told or not, readable or not."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import PeerError
from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.facts import KnownGame
from bot.guests.hexo_arena.messages import Account, Snapshot
from bot.guests.hexo_arena.ratings import RatingLog
from bot.guests.hexo_arena.results import Results, StillRuns
from bot.guests.hexo_arena.store import Store
from bot.platforms.base import GameGone, GameOutcome, NoAnswer
from bot.time_controls import PerTurn
from tests.bot.guests.hexo_arena.test_facts import WON, snapshot
from tests.fakes.time import EPOCH, FakeTime
from tests.fakes.waiting import eventually

GAME = KnownGame("g1", "x", PerTurn(turn_s=15), True, "Ann", None, 1500, EPOCH, tuple(WON[:-1]))
TOLD = replace(GAME, outcome=GameOutcome(1, "six_in_a_row"))
OVER = snapshot(WON, winner="x", reason="six-in-a-row")
RUNS = snapshot(WON[:-1], status="in-progress", toMove="x")
SILENCE = NoAnswer("no answer within 10 s")
GONE = GameGone("not_found", "no such game")


class FakeApi(Api):
    """Answers each read of a game with the next of its answers, and then with the last one."""

    def __init__(self, *answers: Snapshot | PeerError) -> None:
        self.answers = list(answers)
        self.reads = 0
        self.rating = 1508.0

    async def game(self, game_id: str) -> Snapshot:
        assert game_id == "g1"
        self.reads += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, PeerError):
            raise answer
        return answer

    async def account(self) -> Account:
        return Account(name="Granite", rating=self.rating, provisional=True)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Store.opened(tmp_path / "store.db") as opened:
        yield opened


class Bench:
    """Results with time that is set by hand."""

    def __init__(self, store: Store, folder: Path, *answers: Snapshot | PeerError) -> None:
        self.time = FakeTime()
        self.api = FakeApi(*answers)
        ratings = RatingLog(folder / "ratings.jsonl")
        self.results = Results(self.api, store, ratings, self.time, random.Random(1))
        self.is_told = False

    async def untold(self, seconds: float) -> KnownGame:
        reading = asyncio.create_task(self.results.untold(GAME, lambda: self.is_told))
        for _ in range(int(seconds)):
            await self.time.advance(1)
        assert reading.done()
        return reading.result()


async def test_a_told_result_gets_the_last_turn_and_the_kind_of_opponent(
    store: Store, tmp_path: Path
) -> None:
    bench = Bench(store, tmp_path, OVER)
    over = await bench.results.completed(TOLD, None)
    assert (over.turns, over.outcome, over.opponent_kind) == (WON, TOLD.outcome, "bot")


async def test_a_told_result_is_stored_before_anything_is_read(
    store: Store, tmp_path: Path
) -> None:
    """A crash while the public game is read loses no result."""
    bench = Bench(store, tmp_path, SILENCE)
    reading = asyncio.create_task(bench.results.completed(TOLD, None))
    await eventually(lambda: bench.api.reads > 0)
    assert await store.game("g1") == TOLD
    reading.cancel()


async def test_our_own_last_turn_is_known_without_the_public_game(
    store: Store, tmp_path: Path
) -> None:
    bench = Bench(store, tmp_path, GONE)
    over = await bench.results.completed(TOLD, (6, "0:5"))
    assert over.turns == WON
    assert (await bench.results.completed(TOLD, (4, "0:5"))).turns == GAME.turns
    lost = replace(TOLD, outcome=GameOutcome(2, "timeout"))
    assert (await bench.results.completed(lost, (6, "0:5"))).turns == GAME.turns


async def test_what_was_told_counts_more_than_what_is_read(store: Store, tmp_path: Path) -> None:
    bench = Bench(store, tmp_path, snapshot(WON, winner="o", reason="timeout"))
    over = await bench.results.completed(TOLD, None)
    assert over.outcome == TOLD.outcome


async def test_an_untold_result_is_read(store: Store, tmp_path: Path) -> None:
    over = await Bench(store, tmp_path, SILENCE, GONE, OVER).untold(10)
    assert (over.outcome, over.turns) == (GameOutcome(1, "six_in_a_row"), WON)


async def test_a_game_that_runs_is_not_over(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StillRuns):
        await Bench(store, tmp_path, SILENCE, RUNS).untold(10)


async def test_a_game_that_is_told_again_is_not_over(store: Store, tmp_path: Path) -> None:
    bench = Bench(store, tmp_path, SILENCE)
    bench.is_told = True
    with pytest.raises(StillRuns):
        await bench.untold(1)


async def test_a_game_that_the_server_has_lost_ends_without_a_result(
    store: Store, tmp_path: Path
) -> None:
    """A restarted server does not know its unfinished games for a while."""
    bench = Bench(store, tmp_path, GONE)
    reading = asyncio.create_task(bench.results.untold(GAME, lambda: False))
    await bench.time.advance(15)
    assert not reading.done()
    for _ in range(50):
        await bench.time.advance(1)
    assert reading.result().outcome == GameOutcome(None, "unknown")


async def test_a_server_that_is_away_is_waited_for_for_minutes(
    store: Store, tmp_path: Path
) -> None:
    bench = Bench(store, tmp_path, SILENCE)
    reading = asyncio.create_task(bench.results.untold(GAME, lambda: False))
    for _ in range(500):
        await bench.time.advance(1)
    assert not reading.done()
    bench.api.answers = [OVER]
    for _ in range(30):
        await bench.time.advance(1)
    assert reading.result().outcome == GameOutcome(1, "six_in_a_row")


async def test_a_rating_is_noted_once(store: Store, tmp_path: Path) -> None:
    bench = Bench(store, tmp_path, OVER)
    account = await bench.results.note_rating(TOLD)
    assert account is not None
    assert account.rating == 1508
    assert await bench.results.note_rating(TOLD) is None
    assert len((tmp_path / "ratings.jsonl").read_text().splitlines()) == 1
