"""`play` for a host whose games are played by the workers of a cluster."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Self

from bot.engines.spec import EngineSpec
from bot.errors import BluestoneError
from bot.matches.distributed.cluster import (
    Cluster,
    Connect,
    GameJob,
    HireRequest,
    JobResult,
    SchedulerLost,
    Versions,
    WorkerLost,
)
from bot.matches.distributed.fleet import Fleet, Member, WorkerFigures
from bot.matches.distributed.limits import USUAL, ClusterLimits, longest_s
from bot.matches.distributed.worker_monitor import WorkerMonitor
from bot.matches.local_games import Note
from bot.matches.task import GameReport, GameTask
from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource

WORDS: Final = 500


class DistributedGames:
    """A game runs on one worker at a time, and on another if that one fails it."""

    def __init__(
        self,
        fleet: Fleet,
        cluster: Callable[[], Cluster | None],
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
        """Looks after the workers until the end of the block, and dismisses them then."""
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
        """Void if too many workers were lost with it.

        Raises HostError if the scheduler is lost for good, or if nobody comes who can play it,
        and ConfigurationError if the scheduler is of another version.
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
            if result.is_unhired or not member.ended.done():  # other losses were spoken of
                self._note(f"game {task.number} on worker {member.facts.name}: {why}")
        why = f"failed {self._limits.most_losses} times: {'; '.join(failures.values())}"
        return GameReport(game=task.number, void=why[:WORDS])

    async def _try(self, task: GameTask, avoided: dict[str, str]) -> tuple[Member, JobResult]:
        """Once on a worker that has the engines. What a lost scheduler spoils does not count."""
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

    def _learn(self, member: Member, lacks: dict[str, str]) -> None:
        """That the worker has not what it should; it is given no more such games."""
        for name, why in lacks.items():
            if name not in member.lacks:
                self._note(f"worker {member.facts.name} plays no game of {name}: {why}")
        member.lacks |= lacks

    async def _result(self, member: Member, task: GameTask) -> JobResult:
        """Of one try, also if the worker is lost or takes too long. Raises SchedulerLost."""
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

    def _drop(self, cluster: Cluster, member: Member, key: str) -> None:
        """In the background: nobody waits for that."""
        if member.ended.done():
            return

        async def drop() -> None:
            with suppress(BluestoneError, TimeoutError):
                await cluster.drop(member.address, key)

        self._dropping.start(drop())
