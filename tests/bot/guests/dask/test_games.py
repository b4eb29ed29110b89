"""Every game ends with a report, although its workers fail or are lost."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from bot.guests.dask.cluster import JobResult, SchedulerLost, WorkerLost
from bot.guests.dask.games import DistributedGames
from bot.guests.dask.limits import ClusterLimits, longest_s
from bot.matches.task import GameReport
from tests.fakes.time import FakeTime

from .fakes import ENGINES, VERSIONS, FakeCluster, facts, report, task

LIMITS = ClusterLimits(silent_s=1e9, most_losses=3)


@dataclass
class Scene:
    cluster: FakeCluster
    time: FakeTime
    notes: list[str] = field(default_factory=list)
    games: DistributedGames = field(init=False)

    async def begin(self, number: int = 1) -> asyncio.Task[GameReport]:
        playing = asyncio.create_task(self.games.play(task(number)))
        await self.time.advance(3)
        return playing

    @property
    def where(self) -> list[str]:
        """The workers with a running game."""
        return [address for address, _ in self.cluster.games]

    async def end(self, result: JobResult | Exception, number: int = 1) -> None:
        [future] = [each for (_, game), each in self.cluster.games.items() if game == number]
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
        await self.time.advance(3)

    def count(self, words: str) -> int:
        """The number of notes with these words."""
        return sum(words in note for note in self.notes)


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    scene = Scene(FakeCluster(facts("one"), facts("two")), FakeTime())

    async def connect() -> FakeCluster:
        return scene.cluster

    opening = DistributedGames.open(
        connect, ENGINES, VERSIONS, scene.time, scene.notes.append, LIMITS
    )
    async with opening as scene.games:
        yield scene
    assert scene.cluster.is_closed


async def test_a_game_is_played_by_a_worker(scene: Scene) -> None:
    playing = await scene.begin()
    await scene.end(report())
    assert await playing == report().report
    [figures] = [each for each in scene.games.figures() if each.games]
    assert (figures.games, figures.lost, figures.running) == (1, 0, 0)


async def test_a_game_of_a_lost_worker_is_played_by_another(scene: Scene) -> None:
    playing = await scene.begin()
    [first] = scene.where
    scene.cluster.there = [each for each in scene.cluster.there if each.address != first]
    await scene.time.advance(3)
    [second] = scene.where
    assert second != first
    await scene.end(report())
    assert await playing == report().report
    assert {each.address: each.lost for each in scene.games.figures()} == {first: 1, second: 0}


@pytest.mark.parametrize(
    "result", [WorkerLost("it ended"), JobResult(failure="its disk is full"), report(number=9)]
)
async def test_a_game_that_failed_is_played_by_another(
    scene: Scene, result: JobResult | Exception
) -> None:
    playing = await scene.begin()
    [first] = scene.where
    await scene.end(result)
    assert scene.where != [first]
    await scene.end(report())
    assert await playing == report().report


async def test_a_restarted_worker_is_hired_before_it_plays(scene: Scene) -> None:
    scene.cluster.there.pop()
    await scene.time.advance(3)
    playing = await scene.begin()
    await scene.end(JobResult(failure="it was restarted", is_unhired=True))
    assert scene.cluster.asked.count("tcp://one") == 2
    await scene.end(report())
    assert await playing == report().report


async def test_a_game_that_fails_everywhere_is_void(scene: Scene) -> None:
    playing = await scene.begin()
    for _ in range(LIMITS.most_losses):
        await scene.end(JobResult(failure="its disk is full"))
    void = (await playing).void
    assert void is not None
    assert "its disk is full" in void


async def test_a_game_that_takes_too_long_is_dropped_and_played_elsewhere(scene: Scene) -> None:
    playing = await scene.begin()
    [first] = scene.where
    await scene.time.advance(longest_s(task()) + LIMITS.grace_s)
    assert scene.cluster.dropped == [first]
    assert scene.where != [first]
    await scene.end(report())
    assert await playing == report().report


async def test_an_engine_that_does_not_start_on_one_worker_plays_on_another(
    scene: Scene,
) -> None:
    playing = await scene.begin()
    [first] = scene.where
    await scene.end(JobResult(lacks={"left": "it says nothing"}))
    assert scene.where != [first]
    assert scene.count("cannot play left: it says nothing") == 1
    await scene.end(report())
    assert await playing == report().report
    again = await scene.begin(2)
    assert scene.where != [first]
    await scene.end(report(2), number=2)
    await again


async def test_a_lost_scheduler_does_not_count_as_a_failure_of_the_game(scene: Scene) -> None:
    playing = await scene.begin()
    for _ in range(LIMITS.most_losses + 1):
        await scene.end(SchedulerLost("gone"))
    await scene.end(report())
    assert await playing == report().report


async def test_a_game_that_the_host_drops_is_dropped_by_its_worker(scene: Scene) -> None:
    playing = await scene.begin()
    [address] = scene.where
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    await scene.time.advance(1)
    assert scene.cluster.dropped == [address]
    assert scene.where == []
    assert [each.running for each in scene.games.figures()] == [0, 0]
