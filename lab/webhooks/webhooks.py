"""Bad calls to a bot's webhook during valid ones: which are accepted, and how fast."""

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cyclopts import Parameter, validators

import engine
from bot.bench.processes import Program, running
from bot.bench.summary import Times, summary
from bot.cli.measurements import (
    MeasurementReport,
    bounds_table,
    figure,
    measurement,
    progress,
    verdict_report,
)
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.guests.abstract_play.keys import openssh_line
from bot.guests.abstract_play.store import Store
from bot.runtime.children import PYTHON_M
from bot.runtime.output import only_errors_logged
from bot.time_source import SystemTime
from lab.webhooks.bad_calls import BAD
from lab.webhooks.callers import AnswerTally, Attack, HonestPlatform, attack

BUDGET = Budget(think_ms=10_000, hard_ms=60_000, go="movetime 10000")


@asynccontextmanager
async def thinking(count: int, game: engine.Game) -> AsyncIterator[None]:
    """Run `count` searching processes of the built-in engine until the end of the block.

    Raises EngineFailure if one of them stops.
    """
    async with AsyncExitStack() as stack:
        for _ in range(count):
            await stack.enter_async_context(_one_that_thinks(game))
        yield


@asynccontextmanager
async def _one_that_thinks(game: engine.Game) -> AsyncIterator[None]:
    process = await EngineProcess.start(EngineSpec(), SystemTime())
    try:
        await process.set_up(game)
        searching = asyncio.create_task(_go_on_thinking(process, game.start()))
        try:
            yield
            if searching.done():
                searching.result()
        finally:
            searching.cancel()
            await asyncio.wait({searching})
    finally:
        await process.kill()


async def _go_on_thinking(process: EngineProcess, position: engine.Position) -> None:
    while True:
        await process.think(position, BUDGET)


LATENCY_BOUND_MS: Final = 50.0
MEMORY_BOUND: Final = 1.1
SLICE: Final = 500
"""Bad calls between two lines of progress."""
REPLAYABLE: Final = 50
"""The number of latest valid calls of which copies are sent."""

OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class WebhooksPlan:
    """`pause_ms` is the pause between valid calls. `warm_up` bad calls come before the first
    measurement.

    `engines` processes of the built-in engine search at the same time.
    """

    calls: int = 10_000
    at_once: int = 10
    pause_ms: int = 2
    warm_up: int = 500
    engines: int = 0
    seed: int = 1


@dataclass(frozen=True)
class WebhooksVerdict:
    """The answers to bad calls by group and status; `closed` and `silent` had no status.

    `accepted` counts bad calls that were acknowledged or stored. `wrong` counts bad calls that were
    refused incorrectly, `failed` valid calls that were not acknowledged, and `lost` acknowledged
    calls that are not in the store. Memory is None if the system does not provide it.
    """

    calls: int
    answers: Mapping[str, Mapping[str, int]]
    accepted: int
    wrong: int
    valid: int
    failed: int
    lost: int
    latency_ms: Times
    memory_before_mb: float | None
    memory_after_mb: float | None
    log_lines: int
    seconds: float

    @property
    def fine(self) -> bool:
        before, after = self.memory_before_mb, self.memory_after_mb
        flat = before is None or after is None or after <= before * MEMORY_BOUND
        wrong = self.accepted or self.wrong or self.failed or self.lost
        return not wrong and flat and self.latency_ms.highest <= LATENCY_BOUND_MS


async def measure(plan: WebhooksPlan, on_progress: OnProgress) -> WebhooksVerdict:
    """Raises HostError if it cannot be measured."""
    key = Ed25519PrivateKey.generate()
    spawned = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, mp_context=spawned) as attackers,
    ):
        path = Path(folder) / "store.db"
        command = (*PYTHON_M, "lab.webhooks.process", str(path))
        async with running([*command, openssh_line(key.public_key())]) as bot:
            trial = _Trial(plan, bot, key, attackers)
            async with thinking(plan.engines, engine.game("bluestone")):
                await trial.undergo(on_progress)
        return trial.verdict(await _names_in(path))


async def _names_in(path: Path) -> set[str]:
    """Return the names of games and players that the bot has stored."""
    async with Store.opened(path) as store:
        return set(await store.games())


class _Trial:
    def __init__(
        self, plan: WebhooksPlan, bot: Program, key: Ed25519PrivateKey, attackers: Executor
    ) -> None:
        place = urlsplit(bot.address)
        self._plan = plan
        self._bot = bot
        self._key = key
        self._attackers = attackers
        self._host, self._port = str(place.hostname), int(place.port or 0)
        self._honest = HonestPlatform(key, self._host, self._port)
        self._tally = AnswerTally()
        self._memory: list[float | None] = []
        self._lines = 0
        self._seconds = 0.0

    async def undergo(self, on_progress: OnProgress) -> None:
        await self._warm_up()
        self._look()
        began = time.monotonic()
        calling = asyncio.create_task(self._honest.go_on(self._plan.pause_ms / 1000))
        try:
            await self._attack_in_slices(on_progress)
        finally:
            calling.cancel()
            await asyncio.wait({calling})
        if not calling.cancelled():
            calling.result()  # it does not end by itself, so this is a failure
        self._seconds = time.monotonic() - began
        self._look()
        self._lines = self._bot.log_lines()
        self._bot.check_it_runs()

    async def _warm_up(self) -> None:
        for _ in range(REPLAYABLE):
            await self._honest.call()
        await self._attack(self._plan.warm_up, self._plan.seed)

    async def _attack_in_slices(self, on_progress: OnProgress) -> None:
        done = 0
        while done < self._plan.calls:
            calls = min(SLICE, self._plan.calls - done)
            self._tally.add(await self._attack(calls, self._plan.seed + 1 + done))
            done += calls
            on_progress(f"{done} of {self._plan.calls} bad calls")

    async def _attack(self, calls: int, seed: int) -> AnswerTally:
        plan = Attack(
            host=self._host,
            port=self._port,
            key=self._key.private_bytes_raw(),
            answered=self._honest.latest(REPLAYABLE),
            calls=calls,
            at_once=self._plan.at_once,
            seed=seed,
        )
        return await asyncio.get_running_loop().run_in_executor(self._attackers, attack, plan)

    def _look(self) -> None:
        usage = self._bot.usage()
        self._memory.append(None if usage is None else usage.memory_mb)

    def verdict(self, kept: set[str]) -> WebhooksVerdict:
        """Return the verdict; `kept` is the content of the bot's store after its end."""
        before, after = self._memory
        in_store = sum(name.startswith(BAD) for name in kept)
        times = summary(self._honest.times_ms(after=REPLAYABLE))
        return WebhooksVerdict(
            calls=self._tally.answers.total(),
            answers=self._tally.by_group(),
            accepted=max(in_store, self._tally.accepted),
            wrong=self._tally.wrong.total(),
            valid=times.count,
            failed=self._honest.failed,
            lost=len(self._honest.acknowledged - kept),
            latency_ms=times,
            memory_before_mb=before,
            memory_after_mb=after,
            log_lines=self._lines,
            seconds=round(self._seconds, 1),
        )


Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=1_000_000))]


@measurement
def webhooks(
    *,
    calls: Annotated[Count, Parameter(help="bad ones")] = 10_000,
    at_once: Annotated[Count, Parameter(help="bad calls at the same time")] = 10,
    pause: Annotated[Count, Parameter(help="milliseconds between valid calls")] = 2,
    engines: Annotated[
        int,
        Parameter(
            help="number of engines that think at the same time",
            validator=validators.Number(gte=0, lte=64),
        ),
    ] = 0,
    seed: Annotated[int, Parameter(help="seed of the random numbers")] = 1,
) -> MeasurementReport:
    """Send forged, stale, replayed, oversized and malformed calls to a bot during valid calls.

    The exit code is 1 if a bad call was accepted or answered incorrectly, if a valid call was
    refused, lost or took more than 50 ms, or if the bot's memory grew by more than 10 %.
    """
    only_errors_logged()
    plan = WebhooksPlan(calls, at_once, pause, engines=engines, seed=seed)
    return webhooks_report(asyncio.run(measure(plan, progress)))


def webhooks_report(found: WebhooksVerdict) -> MeasurementReport:
    """Return the answers to bad calls by group, and the figures with their bounds."""
    answers = [
        f"{group}: {', '.join(f'{count} {status}' for status, count in counts.items()) or 'none'}"
        for group, counts in found.answers.items()
    ]
    times = found.latency_ms
    rows: list[tuple[str, object, object]] = [
        ("bad calls", found.calls, "-"),
        ("bad calls accepted", found.accepted, 0),
        ("bad calls refused incorrectly", found.wrong, 0),
        ("valid calls at the same time", found.valid, "-"),
        ("valid calls not accepted", found.failed, 0),
        ("valid calls accepted and lost", found.lost, 0),
        ("answer to a valid call, median ms", times.median, "-"),
        ("99th percentile", times.p99, "-"),
        ("longest", times.highest, 50),
        ("memory before, MB", figure(found.memory_before_mb), "-"),
        ("memory after, MB", figure(found.memory_after_mb), "+ 10 %"),
        ("lines in the log", found.log_lines, "-"),
        ("seconds", found.seconds, "-"),
    ]
    return verdict_report(found, [*answers, bounds_table(rows)])
