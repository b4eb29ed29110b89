"""How many turns a second an arena bears before they come late."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bot.bench.crowd import LoadPlan, OnProgress, crowd
from bot.bench.load_arena import arena_under_load, limits_for
from bot.bench.load_report import Measured

BOUND_MS: Final = 250.0
STEP: Final = 1.25
MOST_STEPS: Final = 24
REFINED: Final = 2


@dataclass(frozen=True)
class Step:
    """One pace: the same games, with this pause before every turn."""

    pause_s: float
    measured: Measured

    @property
    def borne(self) -> bool:
        return self.measured.arrival_ms.p99 <= BOUND_MS


@dataclass(frozen=True)
class Capacity:
    """Every pace that was tried; `turns_a_second` is the highest rate that was borne, if any."""

    games: int
    bound_ms: float
    turns_a_second: float | None
    steps: tuple[Step, ...]


async def measure(plan: LoadPlan, on_progress: OnProgress) -> Capacity:
    """Shorten the pause until the 99th percentile of arrival passes the bound.

    Where it is beyond it from the beginning, lengthen it. Raises HostError or PeerError.
    """
    async with (
        arena_under_load(plan.command, limits_for(plan.connections)) as arena,
        crowd(plan, arena, on_progress) as everybody,
    ):

        async def attempt(pause_s: float) -> Step:
            step = Step(pause_s, await everybody.play(pause_s, plan.seconds))
            on_progress(_described(step))
            return step

        steps = await search(attempt, plan.pause_s)
    borne = [step.measured.turns_a_second for step in steps if step.borne]
    return Capacity(plan.games, BOUND_MS, max(borne, default=None), tuple(steps))


async def search(attempt: Callable[[float], Awaitable[Step]], pause_s: float) -> list[Step]:
    """Step by step to the pace at which it changes, then twice halfway between."""

    async def tried(pause_s: float) -> Step:
        step = await attempt(pause_s)
        # Machines are noisy: what looks like too much gets another chance.
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


def _described(step: Step) -> str:
    measured = step.measured
    return (
        f"pause {step.pause_s:.3f} s: {measured.turns_a_second:g} turns a second, "
        f"99th percentile {measured.arrival_ms.p99:g} ms"
    )
