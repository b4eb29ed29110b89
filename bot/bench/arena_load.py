"""Many games at once on one arena: latency of turns, costs, and the rate at which turns
come late.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.bench.arena_processes import MeasuredArena, arena_processes
from bot.bench.crowd import LoadPlan, OnProgress, crowd
from bot.bench.load_report import Measured
from bot.bench.processes import Program, allow_many_connections, running
from bot.bench.usage import Memory, memory
from bot.runtime.children import PYTHON_M

OURS: Final = (*PYTHON_M, "bot", "arena")
OTHER_CHECKOUT: Final = {"PYTHONSAFEPATH": "1"}
"""`python -m` then imports from PYTHONPATH instead of the current folder."""
SPARE_CONNECTIONS: Final = 100
NO_LIMIT: Final = 1_000_000_000

Prepare = Callable[[Path], Awaitable[None]]


def limits_for(connections: int) -> dict[str, int]:
    """Return limits that this many connections do not reach, under names that older arenas know."""
    return {
        "connections": 2 * connections + SPARE_CONNECTIONS,  # some are reserved
        "messages_per_s": 1000,
        "messages_burst": 2000,
        "new_guests_per_s": 1000,
        "new_guests_burst": connections + SPARE_CONNECTIONS,
    }


@asynccontextmanager
async def _planned_arena(plan: LoadPlan) -> AsyncIterator[MeasuredArena]:
    """Start the arena of a plan. Raises HostError or ConfigurationError."""
    limits, kind = limits_for(plan.connections), plan.kind
    if kind.processes is None:
        async with arena_under_load(plan.command, limits) as program:
            yield program
        return
    allow_many_connections()
    with TemporaryDirectory() as name:
        config = Path(name) / "arena.toml"
        config.write_text(_as_toml(limits, plan.command))
        environment = OTHER_CHECKOUT if plan.command else {}
        command = plan.command or OURS
        async with arena_processes(command, Path(name), config, environment, kind) as arena:
            yield arena


@asynccontextmanager
async def arena_under_load(
    command: Sequence[str] | None, limits: Mapping[str, int], prepare: Prepare | None = None
) -> AsyncIterator[Program]:
    """Start an arena on an empty folder, until the end of the block.

    `command` starts another arena than ours, which must support the same options and settings.
    `prepare` gets the data folder before the arena starts.

    Raises HostError if it does not start.
    """
    allow_many_connections()
    with TemporaryDirectory() as folder:
        config = Path(folder) / "arena.toml"
        config.write_text(_as_toml(limits, command))
        data = Path(folder) / "data"
        if prepare is not None:
            await prepare(data)
        options = ("--port", "0", "--data", str(data), "--config", str(config))
        environment = OTHER_CHECKOUT if command else {}
        async with running([*(command or OURS), *options], environment) as program:
            yield program


def _as_toml(limits: Mapping[str, int], command: Sequence[str] | None) -> str:
    lines = ["[connections]", *(f"{name} = {value}" for name, value in limits.items())]
    if limits and command is None:  # an older arena does not know the setting
        lines += ["[play]", f"guest_games_per_hour = {NO_LIMIT}"]
    return "\n".join(lines)


RETURN_S: Final = 3.0
"""Seconds between closing the last connection and reading the memory that is still in use."""


@dataclass(frozen=True)
class ArenaLoad:
    """The load of an arena and its costs. `memory_mb` is None if the system does not provide it."""

    games: int
    spectators: int
    seconds: float
    pause_s: float
    measured: Measured
    memory_mb: Memory | None


async def measure_load(plan: LoadPlan, on_progress: OnProgress) -> ArenaLoad:
    """Play `games` games for `seconds` seconds, with a pause before every turn.

    Raises HostError or PeerError if that fails.
    """
    async with _planned_arena(plan) as arena:
        before = arena.usage()
        async with crowd(plan, arena, on_progress) as clients:
            measured = await clients.play(plan.pause_s, plan.seconds)
        await asyncio.sleep(RETURN_S)
        memory_mb = memory(before, measured.used, arena.usage())
    return ArenaLoad(plan.games, plan.spectators, plan.seconds, plan.pause_s, measured, memory_mb)


BOUND_MS: Final = 250.0
STEP: Final = 1.25
MOST_STEPS: Final = 24
REFINED: Final = 2


@dataclass(frozen=True)
class PaceStep:
    """One pace: the pause before every turn, and the measurement with it."""

    pause_s: float
    measured: Measured

    @property
    def borne(self) -> bool:
        return self.measured.arrival_ms.p99 <= BOUND_MS


@dataclass(frozen=True)
class LoadCapacity:
    """All paces that were tried.

    `turns_a_second` is the highest rate without late turns, if any.
    """

    games: int
    bound_ms: float
    turns_a_second: float | None
    steps: tuple[PaceStep, ...]

    @property
    def is_limit(self) -> bool:
        """Whether a faster pace had late turns. A few games may never reach the arena's limit."""
        return not all(step.borne for step in self.steps)

    @property
    def fewest_turns(self) -> int:
        """The number of turns in the shortest measurement."""
        return min(step.measured.arrival_ms.count for step in self.steps)


async def measure_capacity(plan: LoadPlan, on_progress: OnProgress) -> LoadCapacity:
    """Shorten the pause until the 99th percentile of arrival exceeds the bound.

    If it exceeds the bound from the start, lengthen the pause. Raises HostError or PeerError.
    """
    async with (
        _planned_arena(plan) as arena,
        crowd(plan, arena, on_progress) as clients,
    ):

        async def attempt(pause_s: float) -> PaceStep:
            step = PaceStep(pause_s, await clients.play(pause_s, plan.seconds))
            on_progress(_described(step))
            return step

        steps = await search(attempt, plan.pause_s)
    borne = [step.measured.turns_a_second for step in steps if step.borne]
    return LoadCapacity(plan.games, BOUND_MS, max(borne, default=None), tuple(steps))


async def search(attempt: Callable[[float], Awaitable[PaceStep]], pause_s: float) -> list[PaceStep]:
    """Change the pause until the verdict changes, then bisect twice."""

    async def tried(pause_s: float) -> PaceStep:
        step = await attempt(pause_s)
        # Machines are noisy, so a pace that seems too fast is tried once more.
        return step if step.borne else await attempt(pause_s)

    steps = [await tried(pause_s)]
    factor = 1 / STEP if steps[0].borne else STEP
    while steps[-1].borne == steps[0].borne:
        if len(steps) == MOST_STEPS:
            return steps
        steps.append(await tried(steps[-1].pause_s * factor))
    good, bad = sorted(steps[-2:], key=lambda step: not step.borne)
    for _ in range(REFINED):
        steps.append(await tried(math.sqrt(good.pause_s * bad.pause_s)))
        good, bad = (steps[-1], bad) if steps[-1].borne else (good, steps[-1])
    return steps


def _described(step: PaceStep) -> str:
    measured = step.measured
    return (
        f"pause {step.pause_s:.3f} s: {measured.turns_a_second:g} turns per second, 99th "
        f"percentile {measured.arrival_ms.p99:g} ms"
    )
