"""What a worker does with the games that it is given."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError, HostError
from bot.matches.distributed.cluster import Job
from bot.matches.distributed.own_engines import OwnEngines
from bot.matches.distributed.worker_games import IDLE_S, LoopThread, WorkerGames
from bot.matches.task import GameReport, GameTask
from tests.fakes.time import FakeTime

from .fakes import report, task


class FakeGames:
    """Plays until the test says so."""

    def __init__(self) -> None:
        self.checked: list[str] = []
        self.played: list[GameTask] = []
        self.absent: set[str] = set()
        self.error: Exception | None = None
        self.is_over = asyncio.Event()
        self.opened = 0
        self.closed = 0

    async def check(self, specs: Sequence[EngineSpec]) -> None:
        self.checked += [spec.name for spec in specs]
        if self.absent & {spec.name for spec in specs}:
            raise ConfigurationError("does not start")

    async def play(self, task: GameTask) -> GameReport:
        self.played.append(task)
        await self.is_over.wait()
        if self.error is not None:
            raise self.error
        return GameReport(game=task.number, void="as the test wants it")

    def open(self) -> AbstractAsyncContextManager["FakeGames"]:
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncIterator["FakeGames"]:
        self.opened += 1
        yield self
        self.closed += 1


@pytest.fixture
def games() -> FakeGames:
    return FakeGames()


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
async def worker(games: FakeGames, time: FakeTime) -> AsyncIterator[WorkerGames]:
    here = {"left": EngineSpec(name="left", command=["/here/left"])}
    worker = WorkerGames(OwnEngines(here), games.open, time)
    yield worker
    await worker.close()


def job(number: int = 1) -> Job:
    return Job(task=task(number), limit_s=100)


async def test_a_game_is_played_by_the_engines_of_this_machine(
    worker: WorkerGames, games: FakeGames
) -> None:
    games.is_over.set()
    assert await worker.play("a", job()) == report()
    [played] = games.played
    assert [spec.command for spec in played.engines] == [["/here/left"], None]


async def test_engines_are_tried_once_and_run_on(worker: WorkerGames, games: FakeGames) -> None:
    games.is_over.set()
    await worker.play("a", job(1))
    await worker.play("b", job(2))
    assert games.checked == ["left", "right"]
    assert (games.opened, games.closed) == (1, 0)


async def test_an_engine_that_does_not_start_is_named(
    worker: WorkerGames, games: FakeGames
) -> None:
    games.absent = {"left"}
    outcome = await worker.play("a", job())
    assert outcome.lacks == {"left": "does not start"}
    assert games.played == []


async def test_what_goes_wrong_here_is_told(worker: WorkerGames, games: FakeGames) -> None:
    games.error = HostError("no more descriptors")
    games.is_over.set()
    assert (await worker.play("a", job())).failure == "HostError: no more descriptors"


async def test_a_game_ends_at_its_limit(worker: WorkerGames, time: FakeTime) -> None:
    playing = asyncio.create_task(worker.play("a", job()))
    await time.advance(101)
    assert (await playing).failure == "the game took longer than 100 s"


async def test_a_game_can_be_dropped_by_its_key(worker: WorkerGames, games: FakeGames) -> None:
    one, two = (asyncio.create_task(worker.play(key, job())) for key in "ab")
    await FakeTime.settle()
    worker.drop("a")
    assert (await one).failure == "the game was dropped"
    games.is_over.set()
    assert await two == report()


async def test_engines_end_after_a_while_without_a_game(
    worker: WorkerGames, games: FakeGames, time: FakeTime
) -> None:
    games.is_over.set()
    await worker.play("a", job())
    await time.advance(IDLE_S - 1)
    assert games.closed == 0
    await time.advance(2)
    assert games.closed == 1
    await worker.play("b", job())
    assert games.opened == 2


async def test_closing_ends_what_runs(worker: WorkerGames, games: FakeGames) -> None:
    playing = asyncio.create_task(worker.play("a", job()))
    await FakeTime.settle()
    await worker.close()
    assert (await playing).failure == "the game was dropped"
    assert games.closed == 1


def test_the_thread_runs_what_it_is_given_and_ends() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    thread = LoopThread()
    assert thread.submit(answer()).result(10) == 42
    thread.close()
