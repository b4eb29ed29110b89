"""Processor time and memory of a program and of this machine, as Linux counts them."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
STATE, PARENT, SESSION, USER, SYSTEM, ENDED_USER, ENDED_SYSTEM, PAGES = 0, 1, 3, 11, 12, 13, 14, 21
"""Places in `/proc/PID/stat` after the program's name, see proc(5)."""
IDLE, WAITING = 3, 4
"""Places in the first line of `/proc/stat`. Its eighth field is the time that a host took away."""


@dataclass(frozen=True)
class Usage:
    """User and system time since the start, and resident memory in millions of bytes."""

    cpu_s: float
    memory_mb: float


def usage_of(session: int) -> Usage | None:
    """Return the usage of all processes of a session. Its id is that of the process that created
    it.

    Returns None on other systems than Linux, and if there is no such process.
    """
    ticks, pages, found = 0, 0, False
    for folder in PROC.glob("[0-9]*"):
        fields = _stat(folder)
        if fields is not None and int(fields[SESSION]) == session:
            found = True
            ticks += int(fields[USER]) + int(fields[SYSTEM])
            pages += int(fields[PAGES])
    return _usage(ticks, pages) if found else None


def usage_of_family(parent: int) -> Usage | None:
    """Return the usage of a process and its children, with children that have ended.

    The processes of a PostgreSQL server are such a family, each in a session of its own. Returns
    None on other systems than Linux, and if there is no such process.
    """
    own = _stat(PROC / str(parent))
    if own is None:
        return None
    ticks = int(own[ENDED_USER]) + int(own[ENDED_SYSTEM])
    pages = 0
    for folder in PROC.glob("[0-9]*"):
        fields = _stat(folder)
        if fields is not None and str(parent) in (folder.name, fields[PARENT]):
            ticks += int(fields[USER]) + int(fields[SYSTEM])
            pages += int(fields[PAGES])
    return _usage(ticks, pages)


def added(usages: Sequence[Usage | None]) -> Usage | None:
    """Return the sum; None if one of them is unknown."""
    known = [usage for usage in usages if usage is not None]
    if len(known) < len(usages):
        return None
    memory_mb = round(sum(usage.memory_mb for usage in known), 1)
    return Usage(sum(usage.cpu_s for usage in known), memory_mb)


def machine_busy_s() -> float | None:
    """Return the seconds of work of all cores since the machine started, for all programs.

    Returns None on other systems than Linux.
    """
    try:
        first, _, _ = (PROC / "stat").read_text().partition("\n")
    except OSError:
        return None
    ticks = [int(field) for field in first.split()[1:9]]
    return (sum(ticks) - ticks[IDLE] - ticks[WAITING]) / os.sysconf("SC_CLK_TCK")


def _usage(ticks: int, pages: int) -> Usage:
    return Usage(
        cpu_s=ticks / os.sysconf("SC_CLK_TCK"),
        memory_mb=round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1),
    )


def _stat(folder: Path) -> list[str] | None:
    with suppress(OSError):  # it has ended in between
        return (folder / "stat").read_text().rpartition(") ")[2].split()
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


def memory(before: Usage | None, used: Used | None, after: Usage | None) -> Memory | None:
    """Return the memory figures; None if the system does not provide them."""
    if before is None or used is None or after is None:
        return None
    return Memory(before.memory_mb, used.memory_mb, after.memory_mb)


async def metered(usage: Callable[[], Usage | None], window: Window) -> Used | None:
    """Wait for the window and sample what `usage` returns until its end.

    Returns None if the system does not provide it.
    """
    await until(window.begin)
    first, busy, highest = usage(), machine_busy_s(), 0.0
    last: Usage | None = None
    while first is not None and (left := window.end - time.monotonic()) > 0:
        await asyncio.sleep(min(SAMPLE_S, left))
        if (last := usage()) is None:
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
