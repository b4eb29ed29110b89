"""The worker on a real arena, with an engine of the tests."""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot import wire
from bot.analyst.searcher import AnalystSearcher
from bot.analyst.worker import AnalystWorker
from bot.arena.analysis.analysis_store import admit
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.engines.spec import EngineSpec, SandboxSettings
from bot.errors import RefusedByServer
from bot.platforms.arena.link import ArenaOptions
from bot.time_source import SystemTime
from tests.bot.arena.table import begin
from tests.fakes import engine as fake_engine
from tests.fakes.arena_client import ArenaClient, connected

FAKE = [sys.executable, str(Path(fake_engine.__file__))]
MULTI = ["--option-line", "option name MultiPV type spin default 1 min 1 max 3"]
FIELDS = {"setup": {"board": "pent-4"}, "turns": []}


def worker(url: str, token: str, *words: str) -> AnalystWorker:
    box = SandboxSettings(enabled=False)
    spec = EngineSpec(name="fake", command=[*FAKE, *words], sandbox=box)
    options = ArenaOptions(url=url, token=SecretStr(token), engine="Fake", first_wait_s=0.05)
    return AnalystWorker(
        options, AnalystSearcher(spec, SystemTime()), SystemTime(), random.Random(1)
    )


@asynccontextmanager
async def working(url: str, token: str, *words: str) -> AsyncIterator[AnalystWorker]:
    made = worker(url, token, *words)
    running = asyncio.create_task(made.run())
    try:
        yield made
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


class Place:
    def __init__(self, url: str, token: str, visitor: ArenaClient) -> None:
        self.url, self.token, self.visitor = url, token, visitor

    async def start(self, request: str, **fields: object) -> None:
        """Start an analysis, once a worker is there."""
        for _ in range(200):
            answer = await self.visitor.ask("analysis.start", request=request, **FIELDS | fields)
            if answer["ok"]:
                return
            assert answer["code"] in {"no_analyst", "rate_limited"}
            await asyncio.sleep(0.1)
        raise AssertionError("no worker came")

    async def ends(self, request: str) -> wire.AnalysisState:
        return await self.visitor.wait_for(
            wire.AnalysisState,
            lambda each: each.request == request and each.state in {"done", "failed"},
        )


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_arena(ArenaSettings(port=0, data=tmp_path)))
        token = await issue_token(tmp_path, "Analyst")
        await admit(tmp_path, "Analyst")
        visitor = await stack.enter_async_context(connected(url, name="Anna"))
        yield Place(url, token, visitor)


async def test_a_worker_sends_the_lines_of_its_engine(place: Place) -> None:
    async with working(place.url, place.token, *MULTI, "--turns", "3-0", "--expects", "2-0,2-2"):
        await place.start("r1")
        done = await place.ends("r1")
    assert (done.state, done.value, done.visits, done.engine) == ("done", 0.625, 100, "Fake")
    assert done.lines[0].turn == "3-0"
    assert len(done.lines) == 3


async def test_the_lines_stay_in_the_order_of_the_engine_whatever_their_values(
    place: Place,
) -> None:
    # The engine gives its other turns 0.9, after fewer playouts.
    async with working(place.url, place.token, *MULTI, "--expects", "2-0,2-2"):
        await place.start("r1", setup={"board": "pent-6"}, turns=["3-0"])
        done = await place.ends("r1")
    assert done.value == 0.625
    assert [line.value for line in done.lines] == [0.625, 0.9, 0.9]
    assert [line.visits for line in done.lines] == [100, 50, 33]


async def test_a_search_without_a_playout_is_made_again(place: Place, tmp_path: Path) -> None:
    words = ["--mode", "no-playouts", "--times", "1", "--state", str(tmp_path / "state")]
    async with working(place.url, place.token, *words, "--turns", "3-0"):
        await place.start("r1")
        done = await place.ends("r1")
    assert (done.value, done.visits) == (0.625, 100)


async def test_nothing_that_visitors_hear_has_a_value_without_a_playout(place: Place) -> None:
    """Every kind of analysis belongs here; a hint is one of a position."""
    anna = place.visitor
    words = [*MULTI, "--mode", "no-playouts", "--turns", "3-0"]
    async with working(place.url, place.token, *words), connected(place.url, name="Ben") as ben:
        await place.start("r1")
        await place.ends("r1")
        game_id = await begin(anna, ben, board="pent-4")
        await anna.do("game.turn", game_id=game_id, ply=0, turn="3-0")
        await anna.do("game.action", game_id=game_id, action="resign")
        await anna.do("analysis.game", game_id=game_id, start=True)
        await anna.wait_for(wire.GameAnalysis, lambda each: each.state == "done")
    told = [each for _, event in anna.events for each in objects_in(event.model_dump())]
    without = [each for each in told if each.get("visits") == 0]
    assert len(without) > 6
    assert {each["value"] for each in without} == {None}
    analysed = [each for each in told if "best_value" in each]
    assert {each["value"] for each in analysed} == {None}


def objects_in(value: object) -> Iterator[dict[str, Any]]:
    """Every object in a message."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from objects_in(part)


async def test_a_cancelled_search_is_stopped_and_the_worker_takes_the_next_job(
    place: Place,
) -> None:
    async with working(place.url, place.token, "--mode", "waits", "--turns", "3-0"):
        await place.start("r1")
        await place.visitor.wait_for(wire.AnalysisState, lambda each: each.state == "running")
        await place.visitor.do("analysis.cancel", request="r1")
        await place.start("r2")
        done = await place.ends("r2")
    assert (done.state, done.lines[0].turn) == ("done", "3-0")


async def test_an_engine_that_dies_is_started_again_and_the_second_try_succeeds(
    place: Place, tmp_path: Path
) -> None:
    words = ["--mode", "dies", "--times", "1", "--state", str(tmp_path / "state")]
    async with working(place.url, place.token, *words, "--turns", "3-0"):
        await place.start("r1")
        done = await place.ends("r1")
    assert (done.state, done.lines[0].turn) == ("done", "3-0")


async def test_an_engine_that_dies_each_time_fails_the_request(place: Place) -> None:
    async with working(place.url, place.token, "--mode", "dies"):
        await place.start("r1")
        failed = await place.ends("r1")
    assert failed.state == "failed"
    assert failed.message == "The engine failed."


async def test_an_account_without_admission_is_told_what_to_do(
    place: Place, tmp_path: Path
) -> None:
    token = await issue_token(tmp_path, "Stranger")
    with pytest.raises(RefusedByServer, match="bluestone arena analyst"):
        await worker(place.url, token).run()
