"""What a program uses of this machine: processor time and memory, as Linux counts them."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
STATE, SESSION, USER, SYSTEM, PAGES = 0, 3, 11, 12, 21
"""Places in `/proc/PID/stat` after the program's name, see proc(5)."""
IDLE, WAITING = 3, 4
"""Places in the first line of `/proc/stat`, of whose fields the eighth is what a host took away."""


@dataclass(frozen=True)
class Usage:
    """User and system time since the start, and resident memory in millions of bytes."""

    cpu_s: float
    memory_mb: float


def usage_of(session: int) -> Usage | None:
    """All processes of a session, which has the id of the process that began it.

    None elsewhere than on Linux, and when there is no such process.
    """
    ticks, pages, found = 0, 0, False
    for folder in PROC.glob("[0-9]*"):
        fields = _stat(folder)
        if fields is not None and int(fields[SESSION]) == session:
            found = True
            ticks += int(fields[USER]) + int(fields[SYSTEM])
            pages += int(fields[PAGES])
    if not found:
        return None
    return Usage(
        cpu_s=ticks / os.sysconf("SC_CLK_TCK"),
        memory_mb=round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1),
    )


def machine_busy_s() -> float | None:
    """Seconds of work of all cores since the machine started, whoever it was for.

    None elsewhere than on Linux.
    """
    try:
        first, _, _ = (PROC / "stat").read_text().partition("\n")
    except OSError:
        return None
    ticks = [int(field) for field in first.split()[1:9]]
    return (sum(ticks) - ticks[IDLE] - ticks[WAITING]) / os.sysconf("SC_CLK_TCK")


def _stat(folder: Path) -> list[str] | None:
    with suppress(OSError):  # it has ended meanwhile
        return (folder / "stat").read_text().rpartition(") ")[2].split()
    return None
