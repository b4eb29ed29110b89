"""Processor time and memory of a program and of this machine."""

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import psutil


@dataclass(frozen=True)
class ProcessUsage:
    """User and system time since the start, and resident memory in millions of bytes."""

    cpu_s: float
    memory_mb: float


def usage_of(session: int) -> ProcessUsage | None:
    """Return the usage of all processes of a session; None if there is no such process.

    The id of a session is that of the process that created it.
    """
    return added(list(_usages(pid for pid in psutil.pids() if _session(pid) == session)) or [None])


def usage_of_family(parent: int) -> ProcessUsage | None:
    """Return the usage of a process and its children, with children that have ended.

    The processes of a PostgreSQL server are such a family, each in a session of its own. Returns
    None if there is no such process.
    """
    try:
        process = psutil.Process(parent)
        family = [parent, *(child.pid for child in process.children())]
        ended = process.cpu_times()
    except psutil.Error:
        return None
    ended_s = ended.children_user + ended.children_system
    return added([ProcessUsage(ended_s, 0), *_usages(family)])


def added(usages: Sequence[ProcessUsage | None]) -> ProcessUsage | None:
    """Return the sum; None if one of them is unknown."""
    known = [usage for usage in usages if usage is not None]
    if len(known) < len(usages):
        return None
    memory_mb = round(sum(usage.memory_mb for usage in known), 1)
    return ProcessUsage(sum(usage.cpu_s for usage in known), memory_mb)


def machine_busy_s() -> float:
    """Return the seconds of work of all cores since the machine started, for all programs.

    Time that a host took away counts as work.
    """
    times = psutil.cpu_times()
    return sum((times.user, times.nice, times.system, times.irq, times.softirq, times.steal))


def _usages(pids: Iterable[int]) -> Iterator[ProcessUsage]:
    for pid in pids:
        with suppress(psutil.Error):  # it has ended in between
            process = psutil.Process(pid)
            times = process.cpu_times()
            yield ProcessUsage(times.user + times.system, process.memory_info().rss / 1e6)


def _session(pid: int) -> int | None:
    with suppress(OSError):
        return os.getsid(pid)
    return None


SAMPLE_S: Final = 1.0


@dataclass(frozen=True)
class Window:
    """A period of measurement, as monotonic moments."""

    begin: float
    end: float

    def __contains__(self, moment: float | None) -> bool:
        return moment is not None and self.begin <= moment < self.end

    @property
    def seconds(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class Used:
    """Processor time in seconds, and the highest memory use in millions of bytes.

    `machine` is the share of all cores that was busy with any program. If it is near 1, the
    measured times are unreliable.
    """

    cpu_s: float
    memory_mb: float
    machine: float


@dataclass(frozen=True)
class Memory:
    """Millions of bytes: right before a window, at most during it, and some time after it."""

    before: float
    during: float
    after: float


def memory(
    before: ProcessUsage | None, used: Used | None, after: ProcessUsage | None
) -> Memory | None:
    """Return the memory figures; None if the system does not provide them."""
    if before is None or used is None or after is None:
        return None
    return Memory(before.memory_mb, used.memory_mb, after.memory_mb)


async def metered(usage: Callable[[], ProcessUsage | None], window: Window) -> Used | None:
    """Wait for the window and sample what `usage` returns until its end.

    Returns None if the system does not provide it.
    """
    await until(window.begin)
    first, busy, highest = usage(), machine_busy_s(), 0.0
    last: ProcessUsage | None = None
    while first is not None and (left := window.end - time.monotonic()) > 0:
        await asyncio.sleep(min(SAMPLE_S, left))
        if (last := usage()) is None:
            return None
        highest = max(highest, last.memory_mb)
    if first is None or last is None:
        return None
    cores = os.cpu_count() or 1
    machine = (machine_busy_s() - busy) / (cores * window.seconds)
    return Used(last.cpu_s - first.cpu_s, highest, round(machine, 3))


async def until(moment: float) -> None:
    """Sleep until a monotonic moment."""
    await asyncio.sleep(moment - time.monotonic())
