"""Visitors, workers and their jobs, with a clock of the test's own."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import pytest
from pydantic import BaseModel

from bot import wire
from bot.arena.analysis.analysis_jobs import HOLD_S, LEASE_S, Jobs
from bot.arena.analysis.visitor_analyses import STARTS_BURST, VisitorAnalyses
from bot.arena.refusals import Refused
from tests.bot.arena.lobby.test_lobby import Nobody
from tests.fakes.time import FakeTime

SETUP = wire.AnalysisSetup(board="pent-3")
LINE = wire.AnalysisLine(turn="1-1,1-2", value=0.7, visits=9, pv=["1-1,1-2"])


class Heard(Nobody):
    """Keeps what visitors were told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, wire.AnalysisState]] = []

    def tell(self, event: str, message: BaseModel, names: Iterable[str]) -> None:
        assert event == "analysis"
        assert isinstance(message, wire.AnalysisState)
        self.told += [(name, message) for name in names]

    def states_of(self, visitor: str) -> list[str]:
        return [message.state for name, message in self.told if name == visitor]


class Bench:
    """Visitors and the jobs of workers."""

    def __init__(self) -> None:
        self.time, self.heard = FakeTime(), Heard()
        self.jobs = Jobs(lambda: self.visitors.next_task(), 8, self.time)
        self.visitors = VisitorAnalyses(
            self.heard, self.time, self.jobs.wake, lambda: len(self.jobs.workers)
        )

    def start(
        self, visitor: str, key: str = "", effort: str = "normal", request: str = "r1"
    ) -> wire.AnalysisState:
        message = wire.StartAnalysis.model_validate(
            {"v": 1, "request": request, "setup": SETUP, "turns": [], "effort": effort}
        )
        return self.visitors.start(visitor, f"at-{visitor}", message, key or visitor)

    async def take(self, worker: str = "Analyst") -> wire.AnalysisJob | None:
        """The next job, or None after the server's wait."""
        taking = asyncio.create_task(self.jobs.take(worker, wire.TakeAnalysis(v=1, engine="Fake")))
        await self.time.settle()
        if not taking.done():
            await self.time.advance(HOLD_S)
        return await taking

    async def job(self, worker: str = "Analyst") -> wire.AnalysisJob:
        found = await self.take(worker)
        assert found is not None
        return found

    def report(self, job: wire.AnalysisJob, state: str, worker: str = "Analyst") -> bool:
        lines = [] if state == "failed" else [LINE]
        fields = {"v": 1, "job_id": job.job_id, "state": state, "visits": 9, "lines": lines}
        return self.jobs.report(worker, wire.ReportAnalysis.model_validate(fields))


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    await made.take()
    yield made
    await made.jobs.close()
    await made.visitors.close()


async def test_a_position_is_queued_searched_and_sent_while_it_is_found(bench: Bench) -> None:
    assert bench.start("anna").place == 1
    job = await bench.job()
    assert (job.seconds, job.lines) == (4.0, 8)
    assert bench.report(job, "working")
    assert not bench.report(job, "done")
    assert bench.heard.states_of("anna") == ["running", "running", "done"]
    last = bench.heard.told[-1][1]
    assert (last.value, last.visits, last.engine, last.lines) == (0.7, 9, "Fake", [LINE])
    assert [each.revision for _, each in bench.heard.told] == [1, 2, 3]


async def test_a_worker_that_waits_gets_the_next_job_at_once(bench: Bench) -> None:
    taking = asyncio.create_task(bench.jobs.take("Analyst", wire.TakeAnalysis(v=1)))
    await bench.time.settle()
    bench.start("anna")
    await bench.time.settle()
    assert taking.done()
    assert await taking is not None


async def test_a_known_position_needs_no_worker(bench: Bench) -> None:
    bench.start("anna", "start", "deep")
    bench.report(await bench.job(), "done")
    bench.jobs.worker_left("Analyst")
    assert bench.start("ben", "start", "quick").state == "done"
    with pytest.raises(Refused, match="No analysis engine"):
        bench.start("ben", "another")


async def test_a_second_visitor_watches_the_same_search(bench: Bench) -> None:
    bench.start("anna", "start")
    job = await bench.job()
    bench.report(job, "working")
    joined = bench.start("ben", "start", "quick")
    assert (joined.state, joined.lines) == ("running", [LINE])
    bench.visitors.cancel("anna")
    assert bench.report(job, "working")
    bench.report(job, "done")
    assert bench.heard.states_of("ben") == ["running", "done"]
    assert bench.heard.states_of("anna") == ["running", "running"]


async def test_a_search_that_nobody_waits_for_is_not_wanted(bench: Bench) -> None:
    bench.start("anna")
    job = await bench.job()
    bench.visitors.cancel("anna", "another")
    assert bench.report(job, "working")
    bench.visitors.cancel("anna", "r1")
    assert not bench.report(job, "working")
    assert await bench.take() is None


async def test_the_newest_position_of_a_visitor_replaces_the_older_one(bench: Bench) -> None:
    bench.start("anna", "one", request="r1")
    bench.start("ben", "other")
    second = bench.start("anna", "two", request="r2")
    assert (second.place, bench.visitors.waiting) == (1, 2)
    assert bench.heard.states_of("anna") == ["cancelled"]
    job = await bench.job()
    third = bench.start("anna", "three", request="r3")
    assert third.place == 2
    assert not bench.report(job, "working")


async def test_the_same_request_again_is_the_same_analysis(bench: Bench) -> None:
    bench.start("anna")
    job = await bench.job()
    bench.report(job, "working")
    assert bench.start("anna").state == "running"
    assert bench.report(job, "working")


async def test_a_job_of_a_silent_worker_goes_to_another_one_and_fails_the_second_time(
    bench: Bench,
) -> None:
    bench.start("anna")
    lost = await bench.job()
    await bench.time.advance(LEASE_S + 1)
    again = await bench.job("Second")
    assert again.job_id != lost.job_id
    assert not bench.report(lost, "done")
    bench.jobs.worker_left("Second")
    states = bench.heard.states_of("anna")
    assert states == ["running", "queued", "running", "failed"]
    assert bench.heard.told[-1][1].message == "The engine was disconnected."
    assert await bench.take("Third") is None


async def test_a_report_keeps_the_job(bench: Bench) -> None:
    bench.start("anna")
    job = await bench.job()
    for _ in range(5):
        await bench.time.advance(LEASE_S - 1)
        assert bench.report(job, "working")


async def test_a_worker_that_asks_for_another_job_has_lost_its_own(bench: Bench) -> None:
    bench.start("anna")
    first = await bench.job()
    second = await bench.job()
    assert second.job_id != first.job_id
    assert bench.report(second, "working")


async def test_a_crowd_is_served_sooner_and_told_so(bench: Bench) -> None:
    for number in range(20):
        bench.start(f"visitor{number}")
    job = await bench.job()
    assert job.seconds == 0.5
    assert bench.heard.told[-1][1].shortened
    await bench.time.advance(1.0)
    places = {name: told.place for name, told in bench.heard.told if told.state == "queued"}
    assert places["visitor1"] == 1
    bench.report(job, "done")
    assert bench.start("visitor0", request="again").state == "queued"  # it was not searched enough


async def test_a_visitor_who_asks_too_often_is_refused(bench: Bench) -> None:
    for _ in range(STARTS_BURST):
        bench.visitors.check_rate("anna")
    with pytest.raises(Refused) as refused:
        bench.visitors.check_rate("anna")
    assert refused.value.retry_after_s == pytest.approx(1.0)
    bench.visitors.check_rate("ben")
    await bench.time.advance(1.0)
    bench.visitors.check_rate("anna")
