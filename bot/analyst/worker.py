"""The worker: takes one job at a time from an arena, and reports on it twice a second."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Final

import structlog

import engine
from bot import wire
from bot.analyst.searcher import AnalystSearcher
from bot.engines.lines import EngineLine
from bot.errors import EngineFailure, PeerError, RefusedByServer
from bot.platforms.arena.link import ArenaLink, ArenaOptions, open_link
from bot.platforms.base import NoAnswer, NotNow
from bot.platforms.connections import ConnectionLost, Reconnection
from bot.runtime.tasks import cancelled, unless_overtaken
from bot.time_source import TimeSource

REPORT_S: Final = 0.5
REFUSED_PAUSE_S: Final = 1.0
SHOWN_TURNS: Final = 12
"""Turns of each line that are sent."""

log = structlog.get_logger()


@dataclass
class _Latest:
    """The last partial result that was not reported."""

    visits: int | None = None
    lines: tuple[EngineLine, ...] = field(default=())

    def note(self, visits: int | None, lines: tuple[EngineLine, ...]) -> None:
        self.visits, self.lines = visits, lines


class AnalystWorker:
    """Works for one arena. `engine_name` is what people see."""

    def __init__(
        self, options: ArenaOptions, searcher: AnalystSearcher, time: TimeSource, rng: random.Random
    ) -> None:
        self._options = options
        self._searcher = searcher
        self._time = time
        self._reconnection = Reconnection(
            options.url, options.first_wait_s, options.longest_wait_s, time, rng
        )
        self.jobs_done = 0

    async def run(self) -> None:
        """Work until cancelled. Raises RefusedByServer if the arena does not admit the account."""
        try:
            while True:
                await self._work_until_lost()
        finally:
            await self._searcher.close()

    async def _work_until_lost(self) -> None:
        began = self._time.monotonic()
        try:
            async with open_link(self._options, self._time) as link:
                log.info("analyst_connected", url=self._options.url)
                await unless_overtaken(self._take_jobs(link), self._listen(link))
        except ConnectionLost as lost:
            await self._reconnection.pause(lost, began)

    async def _listen(self, link: ArenaLink) -> None:
        """Read the arena's events, of which none matters, until the connection is lost."""
        while True:
            message = (await link.receive()).message
            if isinstance(message, wire.Challenge) and message.state == "open":
                log.info("challenge_ignored", challenge=message.challenge_id)

    async def _take_jobs(self, link: ArenaLink) -> None:
        while True:
            try:
                request = wire.TakeAnalysis(v=wire.VERSION, engine=self._options.engine)
                answer = await link.ask("analysis.take", request)
                assert isinstance(answer, wire.AnalysisJobDone)
                if answer.job is not None:
                    await self._carry_out(link, answer.job)
            except NotNow as refused:
                await self._time.sleep(refused.retry_after_s)
            except NoAnswer as silent:
                raise ConnectionLost(str(silent)) from silent
            except PeerError as refused:
                if refused.code == "not_an_analyst":
                    hint = "run `bluestone arena analyst NAME` on the arena's machine"
                    raise RefusedByServer(refused.code, f"{refused.message} ({hint})") from refused
                log.warning("analysis_refused", code=refused.code, why=refused.message)
                await self._time.sleep(REFUSED_PAUSE_S)

    async def _carry_out(self, link: ArenaLink, job: wire.AnalysisJob) -> None:
        latest = _Latest()
        search = asyncio.create_task(self._search(job, latest))
        try:
            while not await self._is_done(search):
                if not await self._report(link, job, "working", latest.visits, latest.lines):
                    self._searcher.stop()  # nobody waits for it any more
                    await asyncio.wait([search])
                    return
            visits, lines = search.result()
        except (EngineFailure, engine.EngineError) as failure:
            log.warning("analysis_failed", why=str(failure))
            await self._report(link, job, "failed", None, (), str(failure)[:300])
        else:
            self.jobs_done += 1
            await self._report(link, job, "done", visits, lines)
        finally:
            await cancelled(search)

    async def _search(
        self, job: wire.AnalysisJob, latest: _Latest
    ) -> tuple[int | None, tuple[EngineLine, ...]]:
        setup = job.setup
        game = engine.game_of(setup.game, setup.board, setup.rules, setup.options)
        position = await asyncio.to_thread(game.replay, job.turns)
        return await self._searcher.search(position, job.seconds, job.lines, latest.note)

    async def _is_done(
        self, search: "asyncio.Task[tuple[int | None, tuple[EngineLine, ...]]]"
    ) -> bool:
        pause = asyncio.create_task(self._time.sleep(REPORT_S))
        try:
            await asyncio.wait([search, pause], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancelled(pause)
        return search.done()

    async def _report(
        self,
        link: ArenaLink,
        job: wire.AnalysisJob,
        state: str,
        visits: int | None,
        lines: tuple[EngineLine, ...],
        why: str | None = None,
    ) -> bool:
        """Report on a job. Returns whether it is still wanted."""
        report = wire.ReportAnalysis.model_validate(
            {
                "v": wire.VERSION,
                "job_id": job.job_id,
                "state": state,
                "visits": visits,
                "lines": [_as_message(line) for line in lines[: job.lines]],
                "message": why,
            }
        )
        answer = await link.ask("analysis.report", report)
        assert isinstance(answer, wire.AnalysisReportDone)
        return answer.wanted


def _as_message(line: EngineLine) -> dict[str, object]:
    return {
        "turn": line.turn,
        "value": line.value,
        "visits": line.visits,
        "pv": list(line.pv[:SHOWN_TURNS]),
    }
