"""What a program and everything that it started use together: tasks, memory, files.

The guardian imports this module by its folder, so it imports nothing of the bot.
"""
# ruff: noqa: PTH101, PTH106, PTH108, PTH123, PTH208

# Limits for a whole tree of processes
#
# The problem. `setrlimit` counts per process (memory) or per user (processes). A program that forks
# has as many times the memory, and a limit per user would also count the bot and its other engines.
#
# The idea. The guardian looks at its descendants a few times a second, and ends the engine that
# uses too much. This works on every Linux, without any right. Between two looks an engine can go
# over its limit: by what it allocates in 200 ms, and at most twice the limit in each process
# (RLIMIT_DATA), or by the processes that RLIMIT_NPROC leaves it. So the limit protects the machine
# from an engine; it does not divide the machine exactly.
#
# - Only our own descendants are read, from /proc/PID/task/TID/children: one engine costs 0.1 ms a
#   look. A search of all of /proc would cost 3 ms on a usual machine.
# - Shared pages count once. The sum of VmRSS counts them in each process, but is cheap: only if it
#   is over the limit, the exact sum (Pss) is read, which costs milliseconds.
# - Memory that was swapped out counts, so that an engine cannot push the bot into swap.
#
# Rejected: an event instead of looks. Pressure events (PSI) are about the machine or a control
# group, and the process connector needs rights of root.

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

DISK_EVERY: Final = 5
"""The scratch folder is measured at every fifth look."""
MOST_FILES: Final = 20_000
MB: Final = 1 << 20


class Watch:
    """Limits in bytes and tasks, 0 for none, of all descendants of this process together."""

    def __init__(self, *, memory: int, tasks: int, disk: int, scratch: str) -> None:
        self._memory = memory
        self._tasks = tasks
        self._disk = disk
        self._scratch = scratch
        self._looks = 0

    def excess(self) -> str:
        """What the program did too much of, as the end of a sentence; empty if nothing."""
        self._looks += 1
        pids, tasks = descendants(os.getpid(), self._tasks)
        if self._tasks and tasks > self._tasks:
            return f"had more than {self._tasks} processes and threads"
        if self._memory and _uses_more(pids, self._memory):
            return f"used more than {self._memory // MB} MB of memory"
        if self._scratch and self._disk and self._looks % DISK_EVERY == 0:
            size, files = size_of(self._scratch, self._disk)
            if size > self._disk:
                return f"wrote more than {self._disk // MB} MB to its scratch folder"
            if files > MOST_FILES:
                return f"made more than {MOST_FILES} files in its scratch folder"
        return ""


def descendants(pid: int, enough: int = 0) -> tuple[list[str], int]:
    """The descendants of a process, and the number of their threads.

    If `enough` is given, the search ends as soon as there are more threads than that.
    """
    found: list[str] = []
    waiting, tasks = _children(str(pid)), 0
    while waiting and not (enough and tasks > enough):
        child = waiting.pop()
        found.append(child)
        threads = _threads(child)
        tasks += max(1, len(threads))
        for thread in threads:
            waiting += _children(child, thread)
    return found, tasks


def _threads(pid: str) -> list[str]:
    with suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")
    return []


def _children(pid: str, thread: str = "") -> list[str]:
    with suppress(OSError):
        return _text(f"/proc/{pid}/task/{thread or pid}/children").split()
    return []


def _uses_more(pids: list[str], limit: int) -> bool:
    if sum(_sum(f"/proc/{pid}/status", "VmRSS:", "VmSwap:") for pid in pids) <= limit:
        return False
    return sum(_exact(pid) for pid in pids) > limit


def _exact(pid: str) -> int:
    """Memory with shared pages counted once; a process may prevent us from knowing that."""
    exact = _sum(f"/proc/{pid}/smaps_rollup", "Pss:", "SwapPss:")
    return exact or _sum(f"/proc/{pid}/status", "VmRSS:", "VmSwap:")


def _sum(path: str, *names: str) -> int:
    """The sum in bytes of these lines of the file, each in kB."""
    with suppress(OSError, ValueError):
        lines = [line.split() for line in _text(path).splitlines()]
        return sum(1024 * int(line[1]) for line in lines if line and line[0] in names)
    return 0


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


# ---- the scratch folder ------------------------------------------------------------------------


def size_of(folder: str, enough: int) -> tuple[int, int]:
    """The bytes on disk and the number of files; the search ends when there are `enough`."""
    folders, size, files = [folder], 0, 0
    while folders and size <= enough and files <= MOST_FILES:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                files += 1
                with suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return size, files


def remove(folder: str) -> None:
    """Remove the folder of a program that has ended. Changes our working directory.

    It goes down into each folder and up again, so neither depth nor the length of a path matters.
    No link is followed.
    """
    with suppress(OSError):
        os.chdir(folder)
        above: list[tuple[str, list[str]]] = []
        inner = _emptied_of_files()
        while True:
            if inner:
                name = inner.pop()
                os.chmod(name, 0o700)
                os.chdir(name)
                above.append((name, inner))
                inner = _emptied_of_files()
            elif above:
                os.chdir("..")
                name, inner = above.pop()
                os.rmdir(name)
            else:
                break
        os.rmdir(folder)


def _emptied_of_files() -> list[str]:
    """Remove everything but folders from the working directory, and return those."""
    folders = []
    with os.scandir(".") as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                os.unlink(entry.name)
    return folders
