"""What a program uses in a window of time."""

import asyncio
import os
import time
from dataclasses import dataclass
from typing import Final

from bot.bench.processes import Program
from bot.bench.usage import Usage, machine_busy_s

SAMPLE_S: Final = 1.0


@dataclass(frozen=True)
class Window:
    """A measured time, as monotonic moments."""

    begin: float
    end: float

    def __contains__(self, moment: float | None) -> bool:
        return moment is not None and self.begin <= moment < self.end

    @property
    def seconds(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class Used:
    """Processor time, and at most so many millions of bytes.

    `machine` is the share of all cores that was at work, for whomever: near 1, times say little.
    """

    cpu_s: float
    memory_mb: float
    machine: float


@dataclass(frozen=True)
class Memory:
    """Millions of bytes: right before, at most during a window, and some time after it."""

    before: float
    during: float
    after: float


def memory(before: Usage | None, used: Used | None, after: Usage | None) -> Memory | None:
    """None where the system does not tell."""
    if before is None or used is None or after is None:
        return None
    return Memory(before.memory_mb, used.memory_mb, after.memory_mb)


async def metered(program: Program, window: Window) -> Used | None:
    """Wait for the window and look on; None where the system does not tell."""
    await until(window.begin)
    first, busy, highest = program.usage(), machine_busy_s(), 0.0
    last: Usage | None = None
    while first is not None and (left := window.end - time.monotonic()) > 0:
        await asyncio.sleep(min(SAMPLE_S, left))
        if (last := program.usage()) is None:
            return None
        highest = max(highest, last.memory_mb)
    busy_now = machine_busy_s()
    if first is None or last is None or busy is None or busy_now is None:
        return None
    cores = os.cpu_count() or 1
    machine = (busy_now - busy) / (cores * window.seconds)
    return Used(last.cpu_s - first.cpu_s, highest, round(machine, 3))


async def until(moment: float) -> None:
    """Sleep until a monotonic moment."""
    await asyncio.sleep(moment - time.monotonic())
