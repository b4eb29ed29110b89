"""Many games at once on one arena: how soon a turn reaches the opponent, and what it costs."""

import asyncio
from dataclasses import dataclass
from typing import Final

from bot.bench.crowd import LoadPlan, OnProgress, crowd
from bot.bench.load_arena import arena_under_load, limits_for
from bot.bench.load_report import Measured
from bot.bench.meter import Memory, memory

RETURN_S: Final = 3.0
"""From the last connection's end to the look at the memory that is still in use."""


@dataclass(frozen=True)
class ArenaLoad:
    """`memory_mb` is None where the system does not tell."""

    games: int
    spectators: int
    seconds: float
    pause_s: float
    measured: Measured
    memory_mb: Memory | None


async def measure(plan: LoadPlan, on_progress: OnProgress) -> ArenaLoad:
    """Let that many games go on for so many seconds, with a pause before every turn.

    Raises HostError or PeerError if that cannot be done.
    """
    async with arena_under_load(plan.command, limits_for(plan.connections)) as arena:
        before = arena.usage()
        async with crowd(plan, arena, on_progress) as everybody:
            measured = await everybody.play(plan.pause_s, plan.seconds)
        await asyncio.sleep(RETURN_S)
        memory_mb = memory(before, measured.used, arena.usage())
    return ArenaLoad(plan.games, plan.spectators, plan.seconds, plan.pause_s, measured, memory_mb)
