"""A cluster without machines. Tests set its workers, their replies and the results of games."""

import asyncio

from bot.engines.spec import EngineSpec
from bot.guests.dask.cluster import (
    GameJob,
    HireReply,
    HireRequest,
    JobResult,
    SchedulerLost,
    Versions,
    WorkerFacts,
)
from bot.matches.task import GameReport, GameTask
from bot.tournaments.conduct import HostConduct
from bot.tournaments.model import MatchSetup, ScheduledGame

VERSIONS = Versions(bluestone="1.0", sources="abc", python="3.11", distributed="2026.8.0")
ENGINES = (EngineSpec(name="left", builtin="random"), EngineSpec(name="right", builtin="random"))


def facts(
    name: str, slots: int = 1, heard_at: float = 1.0, *, takes_games: bool = True
) -> WorkerFacts:
    return WorkerFacts(f"tcp://{name}", name, slots, heard_at, takes_games)


def task(number: int = 1) -> GameTask:
    """A game of at most a few minutes, because the fake time makes every poll until a deadline."""
    return GameTask(
        tournament="test",
        seed=1,
        scheduled=ScheduledGame(number=number, pair=number, seats=("left", "right")),
        setup=MatchSetup(game="bluestone", board="pent-4", rules="official", nodes=10),
        engines=ENGINES,
        conduct=HostConduct(patience_ms=1000),
    )


def report(number: int = 1) -> JobResult:
    """A void report; these tests do not read its content."""
    return JobResult(report=GameReport(game=number, void="the test voids it"))


class FakeCluster:
    """By default workers reply that they can play. Games run until the test ends them."""

    def __init__(self, *there: WorkerFacts) -> None:
        self.there = list(there)
        self.replies: dict[str, HireReply | Exception] = {}
        self.games: dict[tuple[str, int], asyncio.Future[JobResult]] = {}
        self.asked: list[str] = []
        self.requests: list[HireRequest] = []
        self.keys: list[str] = []
        self.dropped: list[str] = []
        self.is_lost = False
        self.is_closed = False

    async def workers(self) -> list[WorkerFacts]:
        self._check()
        return list(self.there)

    async def hire(self, address: str, request: HireRequest) -> HireReply:
        self._check()
        self.asked.append(address)
        self.requests.append(request)
        reply = self.replies.get(address, HireReply(versions=VERSIONS))
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def play(self, address: str, key: str, job: GameJob) -> JobResult:
        self._check()
        place = address, job.task.number
        self.keys.append(key)
        self.games[place] = asyncio.get_running_loop().create_future()
        try:
            return await self.games[place]
        finally:
            del self.games[place]

    async def drop(self, address: str, key: str) -> None:
        assert key in self.keys
        self.dropped.append(address)

    async def close(self) -> None:
        self.is_closed = True

    def _check(self) -> None:
        if self.is_lost:
            raise SchedulerLost("the scheduler is lost")
