"""A worker plays games with its own engines, within limits."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError, HostError
from bot.guests.dask.cluster import GameJob, HireRequest
from bot.guests.dask.worker_games import (
    ENGINES_VARIABLE,
    IDLE_S,
    LoopThread,
    OwnEngines,
    WorkerGames,
)
from bot.matches.task import GameReport, GameTask
from tests.fakes.time import FakeTime

from .fakes import report, task


def engines_of(folder: Path, text: str) -> OwnEngines:
    path = folder / "engines.toml"
    path.write_text(text)
    return OwnEngines.of_environment({ENGINES_VARIABLE: str(path)})


def test_the_file_of_the_machine_overrides_the_command_of_an_engine(tmp_path: Path) -> None:
    engines = engines_of(tmp_path, '[engines.mine]\ncommand = "/here/mine --fast"\n')
    wanted = EngineSpec(name="mine", command=["/there/mine"])
    assert engines.of(wanted).command == ["/here/mine", "--fast"]


def test_a_player_of_a_match_is_recognised_by_the_name_of_its_engine(tmp_path: Path) -> None:
    engines = engines_of(tmp_path, '[engines.mine]\ncommand = "/here/mine"\n')
    wanted = EngineSpec(name="mine:Level=3 (2)", command=["/there/mine"])
    found = engines.of(wanted)
    assert (found.name, found.command) == ("mine:Level=3 (2)", ["/here/mine"])


def test_options_of_the_game_override_those_of_the_machine(tmp_path: Path) -> None:
    engines = engines_of(
        tmp_path, '[engines.mine]\ncommand = "m"\noptions = { Level = 1, Hash = 64 }\n'
    )
    wanted = EngineSpec(name="mine", options={"Level": "7"})
    assert engines.of(wanted).options == {"Level": "7", "Hash": "64"}


def test_an_engine_that_the_file_does_not_name_starts_as_the_game_says() -> None:
    wanted = EngineSpec(name="search", builtin="search")
    assert OwnEngines.of_environment({}).of(wanted) == wanted


def test_missing_programs_are_named_with_the_reason(tmp_path: Path) -> None:
    engines = OwnEngines.of_environment({})
    wanted = [
        EngineSpec(name="there", command=[sys.executable]),
        EngineSpec(name="gone", command=["/no/such/program"]),
        EngineSpec(name="elsewhere", command=["./run"], directory=tmp_path / "nowhere"),
        EngineSpec(name="unknown", builtin="unheard-of"),
        EngineSpec(name="known", builtin="random"),
    ]
    assert engines.lacking(wanted) == {
        "gone": "there is no program '/no/such/program'",
        "elsewhere": f"there is no folder '{tmp_path / 'nowhere'}'",
        "unknown": "there is no built-in engine 'unheard-of'",
    }


@pytest.mark.parametrize(
    "spec",
    [EngineSpec(name="mine", command=["mine", "--fast"]), EngineSpec(builtin="random")],
)
def test_a_request_survives_the_way_to_a_worker(spec: EngineSpec) -> None:
    request = HireRequest(engines=(spec,))
    assert HireRequest.model_validate_json(request.model_dump_json()) == request


@pytest.mark.parametrize("text", ["[engines.mine]\ncomand = 'm'\n", "engines = 3\n", "["])
def test_a_file_without_engine_tables_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError):
        engines_of(tmp_path, text)


class FakeGames:
    """Games run until the test ends them."""

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
        return GameReport(game=task.number, void="the test voids it")

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


def job(number: int = 1) -> GameJob:
    return GameJob(task=task(number), limit_s=100)


async def test_a_game_is_played_by_the_engines_of_this_machine(
    worker: WorkerGames, games: FakeGames
) -> None:
    games.is_over.set()
    assert await worker.play("a", job()) == report()
    [played] = games.played
    assert [spec.command for spec in played.engines] == [["/here/left"], None]


async def test_engines_are_checked_once_and_keep_running(
    worker: WorkerGames, games: FakeGames
) -> None:
    games.is_over.set()
    await worker.play("a", job(1))
    await worker.play("b", job(2))
    assert games.checked == ["left", "right"]
    assert (games.opened, games.closed) == (1, 0)


async def test_an_engine_that_does_not_start_is_named(
    worker: WorkerGames, games: FakeGames
) -> None:
    games.absent = {"left"}
    result = await worker.play("a", job())
    assert result.lacks == {"left": "does not start"}
    assert games.played == []


async def test_an_error_on_the_worker_is_a_failure_with_its_text(
    worker: WorkerGames, games: FakeGames
) -> None:
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


async def test_closing_ends_running_games_and_engines(
    worker: WorkerGames, games: FakeGames
) -> None:
    playing = asyncio.create_task(worker.play("a", job()))
    await FakeTime.settle()
    await worker.close()
    assert (await playing).failure == "the game was dropped"
    assert games.closed == 1


def test_the_thread_runs_coroutines_and_ends() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    thread = LoopThread()
    assert thread.submit(answer()).result(10) == 42
    thread.close()
