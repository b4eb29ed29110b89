"""Visitors who all ask for an analysis at once, while games are played on the same arena.

The games are played three times at the same pace: without visitors, with them, and without them
again. Each visitor asks for a position of its own, and waits for the result.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import aiohttp

from bot.arena.analysis.analysis_store import admit
from bot.arena.players.accounts import issue_token
from bot.bench.arena_load import arena_under_load, limits_for
from bot.bench.clients.frames import Json, RequestRefused, is_event, payload
from bot.bench.clients.guests import Guest, prepared
from bot.bench.clients.roles import AT_ONCE
from bot.bench.clients.sources import AddressBook, open_sources
from bot.bench.crowd import ArenaCrowd, LoadPlan, OnProgress, crowd
from bot.bench.load_report import Measured
from bot.bench.summary import Times, summary
from bot.errors import HostError
from bot.runtime.children import PYTHON_M, ChildProcess
from bot.runtime.tasks import a_few_at_once

WORKER: Final = "Analyst"
NICE: Final = 15
"""That of the worker of `bluestone up`."""
WORKER_S: Final = 300.0
"""How long the worker may take until it has answered once: it may compile the engine."""
SERVED_S: Final = 600.0
END_S: Final = 20.0
RETRY_S: Final = 0.5


@dataclass(frozen=True)
class Visits:
    """How long visitors waited, in milliseconds, and how many of them got less than they asked."""

    asked: int
    served: int
    failed: int
    shortened: int
    first_ms: Times
    """From the request to the first lines."""
    done_ms: Times
    """From the request to the result."""


@dataclass(frozen=True)
class AnalysisLoad:
    """The turns of the games without visitors and with them, and the waits of the visitors.

    `alone` was measured before the visitors asked, and `after` when they were served: their
    difference is the noise of the machine.
    """

    games: int
    visitors: int
    workers: int
    alone: Measured
    together: Measured
    after: Measured
    visits: Visits

    @property
    def slowdown(self) -> float:
        """How many times longer the 99th percentile of turns is with visitors."""
        alone = (self.alone.arrival_ms.p99 + self.after.arrival_ms.p99) / 2
        return self.together.arrival_ms.p99 / max(alone, 0.01)


class Visitor(Guest):
    """A guest who asks for one analysis at a time."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        super().__init__(session, lambda _text, _moment: None)
        self.asked_at = 0.0
        self.first_at: float | None = None
        self.done_at: float | None = None
        self.state = ""
        self.shortened = False
        self._ended = asyncio.Event()

    async def analyse(self, setup: Json, turns: Sequence[str]) -> None:
        """Ask, and wait for the end of the analysis. Raises HostError or PeerError."""
        self.asked_at = time.monotonic()
        self._ended.clear()
        self.first_at = self.done_at = None
        request = {"request": "bench", "setup": setup, "turns": list(turns), "effort": "normal"}
        answer = await self.ask("analysis.start", **request)
        self._note(answer.fields["analysis"], answer.moment)
        async with asyncio.timeout(SERVED_S):
            await self._ended.wait()

    def _event(self, text: str, moment: float) -> None:
        if is_event(text, "analysis"):
            self._note(payload(text), moment)
        else:
            super()._event(text, moment)

    def _note(self, state: Json, moment: float) -> None:
        if self._ended.is_set():
            return
        self.state, self.shortened = state["state"], state["shortened"]
        if state["lines"] and self.first_at is None:
            self.first_at = moment
        if state["state"] not in {"queued", "running"}:
            self.done_at = moment
            self._ended.set()


async def measure_analysis(
    plan: LoadPlan, visitors: int, workers: int, on_progress: OnProgress
) -> AnalysisLoad:
    """Play the games of the plan three times, the second time with visitors.

    Raises HostError or PeerError if that fails.
    """
    tokens: list[str] = []

    async def prepare(data: Path) -> None:
        for number in range(workers):
            name = f"{WORKER}-{number + 1}"
            tokens.append(await issue_token(data, name))
            await admit(data, name)

    limits = limits_for(plan.connections + visitors + workers)
    async with AsyncExitStack() as stack:
        program = await stack.enter_async_context(arena_under_load(plan.command, limits, prepare))
        for token in tokens:
            await stack.enter_async_context(_worker(program.address, token))
        sources = await stack.enter_async_context(open_sources())
        book = AddressBook(program.address)
        session_of = sources.sessions(book.take_for(visitors), visitors)
        guests = [Visitor(each) for each in session_of]
        on_progress(f"connecting {visitors} visitors")
        await a_few_at_once(guests, lambda each: each.enter(program.address), at_once=AT_ONCE)
        positions = await asyncio.to_thread(_positions, plan, visitors)
        on_progress("waiting for the first analysis")
        await _until_worker(guests[0], positions[0])
        clients = await stack.enter_async_context(crowd(plan, program, on_progress))
        alone = await clients.play(plan.pause_s, plan.seconds)
        together, visits = await _together(clients, plan, guests, positions, on_progress)
        after = await clients.play(plan.pause_s, plan.seconds)
        for guest in guests:
            await guest.leave()
    return AnalysisLoad(plan.games, visitors, workers, alone, together, after, visits)


async def _together(
    clients: ArenaCrowd,
    plan: LoadPlan,
    guests: Sequence[Visitor],
    positions: Sequence[tuple[Json, list[str]]],
    on_progress: OnProgress,
) -> tuple[Measured, Visits]:
    async def all_ask() -> None:
        await asyncio.sleep(plan.warmup_s)
        on_progress(f"{len(guests)} visitors ask at once")
        wishes = zip(guests, positions, strict=True)
        await asyncio.gather(*(guest.analyse(*position) for guest, position in wishes))

    played, _ = await asyncio.gather(clients.play(plan.pause_s, plan.seconds), all_ask())
    return played, _visits(guests)


def _visits(guests: Sequence[Visitor]) -> Visits:
    done = [each for each in guests if each.state == "done"]
    first = [each.first_at - each.asked_at for each in done if each.first_at is not None]
    whole = [each.done_at - each.asked_at for each in done if each.done_at is not None]
    return Visits(
        asked=len(guests),
        served=len(done),
        failed=len(guests) - len(done),
        shortened=sum(each.shortened for each in done),
        first_ms=summary([1000 * seconds for seconds in first]),
        done_ms=summary([1000 * seconds for seconds in whole]),
    )


def _positions(plan: LoadPlan, count: int) -> list[tuple[Json, list[str]]]:
    """A position for each visitor; hardly any two are the same."""
    chance, games = random.Random(1), prepared(plan.game, 40)
    setup: Json = {"game": plan.game.name, "board": plan.game.board.name}
    turns = [games[number % len(games)] for number in range(count)]
    return [(setup, each[: chance.randrange(2, max(3, len(each) // 2))]) for each in turns]


async def _until_worker(guest: Visitor, position: tuple[Json, list[str]]) -> None:
    """Wait until a worker has answered once, so that its engine is ready."""
    deadline = time.monotonic() + WORKER_S
    while True:
        try:
            await guest.analyse(*position)
        except RequestRefused as refused:
            if refused.code != "no_analyst":
                raise
            if time.monotonic() > deadline:
                raise HostError(f"no worker came within {WORKER_S:.0f} s") from None
            await asyncio.sleep(RETRY_S)
        else:
            return


@asynccontextmanager
async def _worker(address: str, token: str) -> AsyncIterator[None]:
    """A worker until the end of the block."""
    with TemporaryDirectory() as folder:
        file, log = Path(folder) / "token", Path(folder) / "log"
        file.write_text(token)
        options = ("--url", address, "--token-file", str(file), "--nice", str(NICE))
        command = [*PYTHON_M, "bot", "analyst", *options]
        process = await ChildProcess.start_logged(command, log)
        try:
            yield
        finally:
            await process.end(END_S)
