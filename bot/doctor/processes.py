"""The processes of this machine, read from /proc; without it, nothing is known.

Looking at a lock or a port must not take it, not even for a moment: a program that starts at that
moment would fail. So locks are looked up in /proc/locks instead of being tried.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
LISTENING: Final = "0A"
"""The state of a listening socket in /proc/net/tcp."""
SYSTEM: Final = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Process:
    """A running process. What another user's process does not tell us is None."""

    pid: int

    @property
    def name(self) -> str:
        with suppress(OSError):
            return (PROC / str(self.pid) / "comm").read_text(encoding="utf-8").strip()
        return "an unknown program"

    @property
    def user(self) -> int | None:
        with suppress(OSError):
            return (PROC / str(self.pid)).stat().st_uid
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
    name = str(file.resolve())
    with suppress(OSError):
        return any(_link(each) == name for each in (PROC / str(process.pid) / "fd").iterdir())
    return False


def listener_on(port: int) -> Process | None:
    """Return a process that listens on a port; None if it may not be known to us."""
    inodes = {f"socket:[{inode}]" for inode in _listening(port)}
    for folder in PROC.glob("[0-9]*"):
        with suppress(OSError):
            if any(_link(each) in inodes for each in (folder / "fd").iterdir()):
                return Process(int(folder.name))
    return None


def _listening(port: int) -> Iterator[str]:
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (PROC / "net" / name).read_text(encoding="utf-8").splitlines()[1:]:
                words = line.split()
                if words[3] == LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                    yield words[9]


def _link(path: Path) -> str:
    with suppress(OSError):
        return str(path.readlink())
    return ""


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
