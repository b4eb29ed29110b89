"""Plays a host's games on the workers of a cluster."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Self

from bot.engines.spec import EngineSpec
from bot.errors import BluestoneError
from bot.guests.dask.cluster import (
    Connect,
    DaskWorkers,
    GameJob,
    HireRequest,
    JobResult,
    SchedulerLost,
    Versions,
    WorkerLost,
)
from bot.guests.dask.fleet import Fleet, HiredWorker
from bot.guests.dask.limits import USUAL, ClusterLimits, longest_s
from bot.guests.dask.worker_monitor import WorkerMonitor
from bot.matches.local_games import Note
from bot.matches.task import GameReport, GameTask
from bot.matches.venues import WorkerFigures
from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource

WORDS: Final = 500


class DistributedGames:
    """Plays each game on one worker at a time, and on another one if that worker fails."""

    def __init__(
        self,
        fleet: Fleet,
        cluster: Callable[[], DaskWorkers | None],
        limit_of: Callable[[GameTask], float],
        time: TimeSource,
        note: Note,
        limits: ClusterLimits,
    ) -> None:
        self._fleet = fleet
        self._cluster = cluster
        self._limit_of = limit_of
        self._time = time
        self._note = note
        self._limits = limits
        self._tries = 0
        self._dropping = OwnedTasks("game_not_dropped")

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        connect: Connect,
        engines: Sequence[EngineSpec],
        versions: Versions,
        time: TimeSource,
        note: Note,
        limits: ClusterLimits = USUAL,
    ) -> AsyncIterator[Self]:
        """Monitors the workers until the end of the block, and then releases them."""
        fleet = Fleet(time)
        request = HireRequest(engines=tuple(engines))
        monitor = WorkerMonitor(connect, fleet, request, versions, time, note, limits)
        monitoring = asyncio.create_task(monitor.run())
        try:
            yield cls(fleet, lambda: monitor.cluster, longest_s, time, note, limits)
        finally:
            monitoring.cancel()
            await asyncio.gather(monitoring, return_exceptions=True)
            if monitor.cluster is not None:
                await monitor.cluster.close()

    def figures(self) -> list[WorkerFigures]:
        return self._fleet.figures()

    async def play(self, task: GameTask) -> GameReport:
        """Play a game. It is void after `limits.most_losses` failures.

        Raises HostError if the scheduler does not come back, or if no worker can play the game in
        time. Raises ConfigurationError if the scheduler has another version.
        """
        failures: dict[str, str] = {}
        for _ in range(self._limits.most_losses):
            member, result = await self._try(task, failures)
            if result.report is not None and result.report.game == task.number:
                return result.report
            why = result.failure or "it answered something else"
            if result.is_unhired:
                self._fleet.remove(member.address, why)
            failures[member.address] = why
            member.lost += 1
            if result.is_unhired or not member.ended.done():  # the monitor reports other losses
                self._note(f"game {task.number} on worker {member.facts.name}: {why}")
        why = f"failed {self._limits.most_losses} times: {'; '.join(failures.values())}"
        return GameReport(game=task.number, void=why[:WORDS])

    async def _try(self, task: GameTask, avoided: dict[str, str]) -> tuple[HiredWorker, JobResult]:
        """Try the game once on a worker that has the engines.

        A try that ends because the scheduler is lost is repeated and does not count.
        """
        engines = [spec.name for spec in task.engines]
        while True:
            member = await self._fleet.take(task.number, engines, avoided)
            began = self._time.monotonic()
            try:
                result = await self._result(member, task)
            except SchedulerLost:
                await self._time.sleep(self._limits.poll_s)
                continue
            finally:
                self._fleet.give_back(member, task.number)
            if result.report is not None:
                member.games += 1
                member.seconds += self._time.monotonic() - began
            if not result.lacks:
                return member, result
            self._learn(member, result.lacks)

    def _learn(self, member: HiredWorker, lacks: dict[str, str]) -> None:
        """Note that a worker cannot start these engines, so that it gets no more such games."""
        for name, why in lacks.items():
            if name not in member.lacks:
                self._note(f"worker {member.facts.name} cannot play {name}: {why}")
        member.lacks |= lacks

    async def _result(self, member: HiredWorker, task: GameTask) -> JobResult:
        """The result of one try, also if the worker is lost or too slow. Raises SchedulerLost."""
        if (cluster := self._cluster()) is None:
            raise SchedulerLost("there is no scheduler")
        self._tries += 1
        key = f"game-{task.number}-{self._tries}"
        job = GameJob(task=task, limit_s=self._limit_of(task))
        playing = asyncio.ensure_future(cluster.play(member.address, key, job))
        alarm = asyncio.create_task(self._time.sleep(job.limit_s + self._limits.grace_s))
        try:
            await asyncio.wait((playing, alarm, member.ended), return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                return playing.result()
        except WorkerLost as error:
            return JobResult(failure=str(error))
        finally:
            alarm.cancel()
            if not playing.done():
                playing.cancel()
                self._drop(cluster, member, key)
            await asyncio.gather(playing, alarm, return_exceptions=True)
        if member.ended.done():
            if self._cluster() is not cluster:
                raise SchedulerLost("the scheduler is lost")
            return JobResult(failure=member.ended.result())
        return JobResult(failure=f"no answer in {job.limit_s + self._limits.grace_s:.0f} s")

    def _drop(self, cluster: DaskWorkers, member: HiredWorker, key: str) -> None:
        """End a game on its worker, in the background."""
        if member.ended.done():
            return

        async def drop() -> None:
            with suppress(BluestoneError, TimeoutError):
                await cluster.drop(member.address, key)

        self._dropping.start(drop())
