"""The processes of this machine, and what locks and control groups say of them in /proc.

Looking at a lock or a port must not take it, not even for a moment: a program that starts at that
moment would fail. So locks are looked up in /proc/locks instead of being tried.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

PROC: Final = Path("/proc")
SYSTEM: Final = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Process:
    """A running process. What another user's process does not tell us is None."""

    pid: int

    @property
    def name(self) -> str:
        with suppress(psutil.Error):
            return psutil.Process(self.pid).name()
        return "an unknown program"

    @property
    def user(self) -> int | None:
        with suppress(psutil.Error):
            return psutil.Process(self.pid).uids().effective
        return None

    @property
    def most_files(self) -> int | None:
        """The hard limit of open files: the arena raises its soft limit to it."""
        with suppress(psutil.Error):
            return psutil.Process(self.pid).rlimit(psutil.RLIMIT_NOFILE)[1]
        return None

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


def are_known() -> bool:
    """Return whether this system says which process holds which lock."""
    return (PROC / "locks").exists()


def holder_of(lock: Path) -> Process | None:
    """Return the process that holds the lock of a data folder; None if none, or if not known."""
    try:
        found = lock.stat()
        locks = (PROC / "locks").read_text(encoding="utf-8")
    except OSError:
        return None
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
    for line in locks.splitlines():
        _, *words = line.split()
        if words[0] == "FLOCK" and words[2] == "WRITE":
            process = Process(int(words[3]))
            # Some file systems, such as btrfs, show another device here than `stat` does.
            if words[4] == f"{device}:{found.st_ino}" or _has_open(process, lock):
                return process
    return None


def _has_open(process: Process, file: Path) -> bool:
    with suppress(psutil.Error):
        opened = psutil.Process(process.pid).open_files()
        return str(file.resolve()) in (each.path for each in opened)
    return False


def listener_on(port: int) -> Process | None:
    """Return a process that listens on a port; None if it may not be known to us."""
    for found in psutil.net_connections("tcp"):
        is_it = found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port
        if is_it and found.pid:
            return Process(found.pid)
    return None


def memory_limits(process: Process | None) -> Iterator[tuple[int, int]]:
    """Yield the limit and the use of each control group of the process that limits its memory.

    None stands for this process.
    """
    name = "self" if process is None else str(process.pid)
    try:
        lines = (PROC / name / "cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        names = {"": ("", "memory.max", "memory.current")}
        names["memory"] = ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        if controllers in names:
            root, limit, use = names[controllers]
            yield from _limits(SYSTEM / root, path, limit, use)


def _limits(root: Path, path: str, limit: str, use: str) -> Iterator[tuple[int, int]]:
    """In a container, the root of the file system is its own group, whatever the path says."""
    folder = root / path.lstrip("/")
    for each in (folder, *folder.parents):
        with suppress(OSError, ValueError):
            most = int((each / limit).read_text(encoding="utf-8"))
            if most < 1 << 60:  # version 1 writes a huge number for "no limit"
                yield most, int((each / use).read_text(encoding="utf-8"))
        if each == root:
            break


def processor_share() -> float | None:
    """Return how many processors the control group of this process may use; None without limit."""
    with suppress(OSError, ValueError):
        quota, period = (SYSTEM / "cpu.max").read_text(encoding="utf-8").split()
        return int(quota) / int(period)
    return None
