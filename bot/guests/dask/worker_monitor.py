"""Monitors the workers of a fleet: hires new ones, removes lost ones, and reports problems."""

import asyncio
import math
from typing import Final

import structlog

from bot.errors import BluestoneError, HostError
from bot.guests.dask.cluster import (
    Connect,
    DaskWorkers,
    HireRequest,
    SchedulerLost,
    Versions,
    WorkerFacts,
    WorkerLost,
    WorkerUnfit,
)
from bot.guests.dask.fleet import Fleet, HiredWorker
from bot.guests.dask.limits import ClusterLimits
from bot.matches.local_games import Note
from bot.runtime.tasks import within
from bot.time_source import TimeSource

LONG_FACTOR: Final = 10
LONG_S: Final = 60.0
"""A game is reported if it runs for more than `LONG_S` seconds and `LONG_FACTOR` times the mean."""


class Warnings:
    """Reports games that run long, and games that wait without a worker. Called at each poll."""

    def __init__(self, fleet: Fleet, time: TimeSource, note: Note, limits: ClusterLimits) -> None:
        self._fleet = fleet
        self._time = time
        self._note = note
        self._limits = limits
        self._long_games: set[tuple[str, int]] = set()
        self._stuck_since: float | None = None
        self._said, self._said_at = "", -math.inf

    def check(self, refused: int) -> None:
        """Report problems. `refused` is the number of connected workers that are not used.

        Raises HostError if games wait for too long.
        """
        self._check_long_games()
        why = self._fleet.stuck()
        if why is None:
            self._stuck_since = None
        else:
            self._stuck(f"{why} ({refused} refused)" if refused else why)

    def _stuck(self, why: str) -> None:
        now = self._time.monotonic()
        self._stuck_since = now if self._stuck_since is None else self._stuck_since
        if now - self._stuck_since >= self._limits.no_worker_s:
            raise HostError(
                f"{why}, for {self._limits.no_worker_s:.0f} s. Start workers with `dask worker "
                "ADDRESS`, then run the same command to continue"
            )
        if why != self._said or now - self._said_at >= self._limits.say_again_s:
            self._note(f"{why}; games that wait: {self._fleet.waiting}")
            self._said, self._said_at = why, now

    def _check_long_games(self) -> None:
        longest = max(LONG_S, LONG_FACTOR * self._usual_s())
        now = self._time.monotonic()
        for member in self._fleet.members.values():
            for game, began in member.running.items():
                place = member.address, game
                if now - began > longest and place not in self._long_games:
                    self._long_games.add(place)
                    name = member.facts.name
                    self._note(f"game {game} has run for {now - began:.0f} s on worker {name}")

    def _usual_s(self) -> float:
        members = self._fleet.members.values()
        games = sum(each.games for each in members)
        return sum(each.seconds for each in members) / games if games else 0.0


log = structlog.get_logger()


class WorkerMonitor:
    """Connects to the scheduler and polls it for workers, until it is cancelled or fails."""

    def __init__(
        self,
        connect: Connect,
        fleet: Fleet,
        request: HireRequest,
        versions: Versions,
        time: TimeSource,
        note: Note,
        limits: ClusterLimits,
    ) -> None:
        self.cluster: DaskWorkers | None = None
        self._connect = connect
        self._fleet = fleet
        self._request = request
        self._versions = versions
        self._time = time
        self._note = note
        self._limits = limits
        self._hiring: dict[str, asyncio.Task[None]] = {}
        self._refused: dict[str, float] = {}
        """When each refused worker is asked again; infinity if that cannot help."""
        self._warnings = Warnings(fleet, time, note, limits)

    async def run(self) -> None:
        """Run until cancelled. Raises nothing: an error that ends the run is given to the fleet."""
        try:
            while True:
                try:
                    self.cluster = self.cluster or await self._connected()
                    await self._poll(self.cluster)
                except SchedulerLost as error:
                    await self._lost(error)
                await self._time.sleep(self._limits.poll_s)
        except BluestoneError as error:
            self._fleet.fail(error)
        except Exception as error:  # a bug: the games that wait end with it
            log.exception("worker_monitor_failed", workers=sorted(self._fleet.members))
            self._fleet.fail(error)
        finally:
            await self._stop_hiring()

    # ---- the scheduler -------------------------------------------------------------------------

    async def _connected(self) -> DaskWorkers:
        """Connect, and retry while no scheduler answers. Raises HostError after `scheduler_s`."""
        began, told = self._time.monotonic(), False
        while True:
            try:
                cluster = await self._connect()
            except SchedulerLost as error:
                if not told:
                    self._note(f"{error}; retrying")
                    told = True
                if self._time.monotonic() - began >= self._limits.scheduler_s:
                    raise HostError(
                        f"{error}; retried for {self._limits.scheduler_s:.0f} s. Start it and its "
                        "workers, then run the same command to continue"
                    ) from error
                await self._time.sleep(self._limits.poll_s)
            else:
                self._note("connected to the scheduler")
                return cluster

    async def _lost(self, error: SchedulerLost) -> None:
        self._note(f"{error}; its games are played again")
        await self._stop_hiring()
        self._refused.clear()
        for address in list(self._fleet.members):
            self._fleet.remove(address, "the scheduler is lost")
        cluster, self.cluster = self.cluster, None
        if cluster is not None:
            await cluster.close()

    async def _stop_hiring(self) -> None:
        hiring, self._hiring = list(self._hiring.values()), {}
        for task in hiring:
            task.cancel()
        await asyncio.gather(*hiring, return_exceptions=True)

    # ---- the workers ---------------------------------------------------------------------------

    async def _poll(self, cluster: DaskWorkers) -> None:
        """One poll: update the workers, hire new ones, and check that games can be played."""
        present = {each.address: each for each in await self._answered(cluster)}
        self._update(present)
        for facts in present.values():
            address = facts.address
            if address not in self._fleet.members and self._may_ask(address):
                self._hiring[address] = asyncio.create_task(self._hire(cluster, facts))
        self._refused = {each: at for each, at in self._refused.items() if each in present}
        self._fleet.hand_out()
        if not self._hiring:
            self._warnings.check(len(self._refused))

    def _may_ask(self, address: str) -> bool:
        again_at = self._refused.get(address, -math.inf)
        return address not in self._hiring and self._time.monotonic() >= again_at

    async def _answered(self, cluster: DaskWorkers) -> list[WorkerFacts]:
        try:
            return await within(self._time, self._limits.answer_s, cluster.workers())
        except TimeoutError:
            raise SchedulerLost("the scheduler does not answer") from None

    def _update(self, present: dict[str, WorkerFacts]) -> None:
        now = self._time.monotonic()
        for address, member in list(self._fleet.members.items()):
            if (facts := present.get(address)) is None:
                self._remove(address, "it is gone")
                continue
            member.hear(facts, now)
            if (unheard := now - member.heard_at) > self._limits.silent_s:
                self._remove(address, f"it was silent for {unheard:.0f} s")
                self._refused[address] = now + self._limits.ask_again_s

    def _remove(self, address: str, why: str) -> None:
        if (member := self._fleet.remove(address, why)) is not None:
            games = len(member.running)
            again = f"; {games} of its games are played again" if games else ""
            self._note(f"worker {member.facts.name} is lost: {why}{again}")

    async def _hire(self, cluster: DaskWorkers, facts: WorkerFacts) -> None:
        try:
            work = cluster.hire(facts.address, self._request)
            reply = await within(self._time, self._limits.answer_s, work)
        except TimeoutError:
            self._put_off(facts, f"no answer in {self._limits.answer_s:.0f} s")
        except WorkerLost as error:
            self._put_off(facts, str(error))
        except WorkerUnfit as error:
            self._refuse(facts, str(error))
        except SchedulerLost:
            return  # the next poll reports it
        else:
            problem = self._versions.differences(reply.versions) or reply.problem
            if problem is not None:
                self._refuse(facts, problem)
            else:
                self._accept(HiredWorker(facts, reply.lacks, self._time.monotonic()))
        finally:
            self._hiring.pop(facts.address, None)

    def _refuse(self, facts: WorkerFacts, why: str) -> None:
        self._refused[facts.address] = math.inf
        self._note(f"worker {facts.name} at {facts.address} is refused: {why}")

    def _put_off(self, facts: WorkerFacts, why: str) -> None:
        self._refused[facts.address] = self._time.monotonic() + self._limits.ask_again_s
        self._note(f"worker {facts.name} at {facts.address} is not used yet: {why}")

    def _accept(self, member: HiredWorker) -> None:
        slots = "1 game" if member.facts.slots == 1 else f"{member.facts.slots} games at once"
        self._note(f"worker {member.facts.name} plays {slots}")
        for name, why in member.lacks.items():
            self._note(f"worker {member.facts.name} cannot play {name}: {why}")
        self._fleet.add(member)
