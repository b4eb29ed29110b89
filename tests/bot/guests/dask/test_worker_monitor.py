"""Workers are hired, refused and removed, and the user is told why."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from structlog.testing import capture_logs

from bot.errors import HostError
from bot.guests.dask.cluster import (
    HireReply,
    HireRequest,
    SchedulerLost,
    WorkerFacts,
    WorkerLost,
    WorkerUnfit,
)
from bot.guests.dask.fleet import Fleet
from bot.guests.dask.limits import ClusterLimits
from bot.guests.dask.worker_monitor import WorkerMonitor
from tests.fakes.time import FakeTime

from .fakes import ENGINES, VERSIONS, FakeCluster, facts

NAMES = ("left", "right")
LIMITS = ClusterLimits(scheduler_s=100, no_worker_s=200)


@dataclass
class Scene:
    """A monitor of a cluster that the test changes."""

    cluster: FakeCluster
    time: FakeTime
    fleet: Fleet
    notes: list[str] = field(default_factory=list)
    is_down: bool = False
    connections: int = 0

    async def connect(self) -> FakeCluster:
        if self.is_down:
            raise SchedulerLost("no scheduler answers")
        self.connections += 1
        return self.cluster

    def count(self, words: str) -> int:
        """The number of notes with these words."""
        return sum(words in note for note in self.notes)

    @property
    def members(self) -> set[str]:
        return {each.facts.name for each in self.fleet.members.values()}


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    time = FakeTime()
    scene = Scene(FakeCluster(facts("one")), time, Fleet(time))
    request = HireRequest(engines=ENGINES)
    monitor = WorkerMonitor(
        scene.connect, scene.fleet, request, VERSIONS, time, scene.notes.append, LIMITS
    )
    task = asyncio.create_task(monitor.run())
    yield scene
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_new_worker_is_asked_once_and_hired(scene: Scene) -> None:
    await scene.time.advance(5)
    scene.cluster.there.append(facts("two", slots=4))
    await scene.time.advance(5)
    assert scene.members == {"one", "two"}
    assert scene.cluster.asked == ["tcp://one", "tcp://two"]
    assert scene.cluster.requests[0].engines == ENGINES
    assert scene.count("worker two plays 4 games at once") == 1


async def test_another_version_is_refused_and_not_asked_again(scene: Scene) -> None:
    old = VERSIONS.model_copy(update={"bluestone": "0.9"})
    scene.cluster.replies["tcp://one"] = HireReply(versions=old)
    await scene.time.advance(150)
    assert scene.members == set()
    assert scene.count("worker one at tcp://one is refused: Bluestone 0.9 there, 1.0 here") == 1
    assert scene.cluster.asked == ["tcp://one"]


@pytest.mark.parametrize(
    "reply",
    [WorkerUnfit("no Bluestone there"), HireReply(versions=VERSIONS, problem="no Bluestone there")],
)
async def test_a_worker_that_cannot_play_is_refused(
    scene: Scene, reply: HireReply | WorkerUnfit
) -> None:
    scene.cluster.replies["tcp://one"] = reply
    await scene.time.advance(5)
    assert scene.count("is refused: no Bluestone there") == 1


async def test_a_worker_that_could_not_be_reached_is_asked_again(scene: Scene) -> None:
    scene.cluster.replies["tcp://one"] = WorkerLost("cannot be reached")
    await scene.time.advance(5)
    assert scene.count("is not used yet: cannot be reached") == 1
    del scene.cluster.replies["tcp://one"]
    await scene.time.advance(LIMITS.ask_again_s)
    assert scene.members == {"one"}


async def test_the_user_is_told_which_engines_a_worker_lacks(scene: Scene) -> None:
    lacks = {"left": "there is no program 'left'"}
    scene.cluster.replies["tcp://one"] = HireReply(versions=VERSIONS, lacks=lacks)
    await scene.time.advance(5)
    assert scene.count("worker one cannot play left: there is no program 'left'") == 1
    assert scene.members == {"one"}


async def test_a_disconnected_worker_is_removed(scene: Scene) -> None:
    await scene.time.advance(5)
    member = await scene.fleet.take(1, NAMES)
    scene.cluster.there.clear()
    await scene.time.advance(5)
    assert member.ended.result() == "it is gone"
    assert scene.count("worker one is lost: it is gone; 1 of its games are played again") == 1


async def test_a_silent_worker_is_removed_and_can_come_back(scene: Scene) -> None:
    await scene.time.advance(5)
    member = await scene.fleet.take(1, NAMES)
    await scene.time.advance(LIMITS.silent_s + 2)
    assert member.ended.done()
    assert scene.count("it was silent for") == 1
    scene.cluster.there = [facts("one", heard_at=9.0)]
    await scene.time.advance(LIMITS.ask_again_s + 2)
    assert scene.members == {"one"}


async def test_a_worker_that_is_heard_is_kept(scene: Scene) -> None:
    for second in range(200):
        scene.cluster.there = [facts("one", heard_at=float(second))]
        await scene.time.advance(1)
    assert scene.members == {"one"}


async def test_games_wait_for_workers_and_the_user_is_told(scene: Scene) -> None:
    scene.cluster.there.clear()
    await scene.time.advance(5)
    place = asyncio.create_task(scene.fleet.take(1, NAMES))
    await scene.time.advance(90)
    assert scene.count("no worker is connected; games that wait: 1") == 2
    scene.cluster.there.append(facts("one"))
    await scene.time.advance(5)
    assert (await place).facts.name == "one"


async def test_games_do_not_wait_forever(scene: Scene) -> None:
    scene.cluster.there.clear()
    await scene.time.advance(5)
    place = asyncio.create_task(scene.fleet.take(1, NAMES))
    await scene.time.advance(LIMITS.no_worker_s + 5)
    with pytest.raises(HostError, match="run the same command to continue"):
        await place


async def test_the_monitor_reconnects_to_a_lost_scheduler(scene: Scene) -> None:
    await scene.time.advance(5)
    member = await scene.fleet.take(1, NAMES)
    scene.cluster.is_lost = scene.is_down = True
    await scene.time.advance(50)
    assert member.ended.done()
    assert scene.cluster.is_closed
    assert scene.count("no scheduler answers; retrying") == 1
    scene.cluster.is_lost = scene.is_down = False
    await scene.time.advance(5)
    assert scene.connections == 2
    assert (await scene.fleet.take(1, NAMES)).facts.name == "one"


async def test_a_scheduler_that_stays_lost_ends_the_run_with_advice(scene: Scene) -> None:
    await scene.time.advance(5)
    scene.cluster.is_lost = scene.is_down = True
    await scene.time.advance(LIMITS.scheduler_s + 5)
    with pytest.raises(HostError, match="run the same command to continue"):
        await scene.fleet.take(1, NAMES)


async def test_a_bug_ends_the_run_and_is_logged(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken() -> list[WorkerFacts]:
        raise KeyError("name")

    monkeypatch.setattr(scene.cluster, "workers", broken)
    with capture_logs() as logged:
        await scene.time.advance(5)
    with pytest.raises(KeyError, match="name"):
        await scene.fleet.take(1, NAMES)
    assert [each["event"] for each in logged] == ["worker_monitor_failed"]


async def test_a_game_that_runs_long_is_reported_once(scene: Scene) -> None:
    await scene.time.advance(5)
    member = await scene.fleet.take(7, NAMES)
    member.games, member.seconds = 10, 100.0
    for second in range(200):
        scene.cluster.there = [facts("one", heard_at=float(second + 5))]
        await scene.time.advance(1)
    assert scene.count("game 7 has run for 101 s on worker one") == 1
