"""What a program and everything that it started use together: tasks, memory, files.

The guardian imports this module by its folder, so it imports nothing of the bot.
"""
# ruff: noqa: PTH101, PTH106, PTH108, PTH115, PTH116, PTH123, PTH208

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
# - Memory that was swapped out counts, so that an engine cannot push the bot into swap. So do page
#   tables.
# - What no folder and no process shows is found by the descriptors of the processes: files that
#   were removed while open, and memory files (`memfd`), which have a size although nothing maps
#   them. Each socket counts as the most that it can buffer, since nothing says what it holds.
# - A file that was removed while it was mapped, and then closed, has a size that only root can
#   learn. It counts as a quarter of the limit of the disk. It cannot be larger than the limit
#   (RLIMIT_FSIZE), so an engine can hide four times the limit at most.
# - A process that does not let us see its descriptors is ended: it can only hide something.
#
# Rejected: an event instead of looks. Pressure events (PSI) are about the machine or a control
# group, and the process connector needs rights of root.

from __future__ import annotations

import os
import stat
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

DISK_EVERY: Final = 5
"""The scratch folder is measured at every fifth look."""
MOST_FILES: Final = 20_000
MOST_DESCRIPTORS: Final = 1 << 16
SOCKET_BYTES: Final = 1 << 19
"""What a socket buffers at most, in both directions, with the kernel's usual settings."""
HIDDEN_PART: Final = 4
MB: Final = 1 << 20
USED: Final = ("VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:")
"""Lines of /proc/PID/status."""


class ProcessWatch:
    """Limits in bytes and tasks, 0 for none, of all descendants of this process together."""

    def __init__(self, *, memory: int, tasks: int, disk: int, scratch: str) -> None:
        self._memory = memory
        self._tasks = tasks
        self._disk = disk
        self._scratch = scratch
        self._looks = 0
        self._closed: set[str] = set()
        """Processes that did not show their descriptors at the last look."""
        self.init = 0
        """The first process of the namespace, which does not count as the program's."""

    def excess(self) -> str:
        """What the program did too much of, as the end of a sentence; empty if nothing."""
        self._looks += 1
        pids, tasks = descendants(os.getpid(), self._tasks, but=str(self.init))
        if self._tasks and tasks > self._tasks:
            return f"had more than {self._tasks} processes and threads"
        opened = Opened(pids)
        if opened.count > MOST_DESCRIPTORS:
            return f"had more than {MOST_DESCRIPTORS} files and sockets open"
        if closed := opened.closed & self._closed:
            return f"hid its open files: {len(closed)} processes"
        self._closed = opened.closed
        if self._memory and _uses_more(pids, opened, self._memory):
            return f"used more than {self._memory // MB} MB of memory"
        if self._scratch and self._disk:
            size, files = opened.removed, 0
            if self._looks % DISK_EVERY == 0:
                size += self._disk // HIDDEN_PART * len(_hidden(pids, self._scratch, opened))
                in_folder, files = size_of(self._scratch, self._disk)
                size += in_folder
            if size > self._disk:
                return f"wrote more than {self._disk // MB} MB to its scratch folder"
            if files > MOST_FILES:
                return f"made more than {MOST_FILES} files in its scratch folder"
        return ""


class Opened:
    """What the processes hold by their descriptors. Each file and socket counts once."""

    def __init__(self, pids: list[str]) -> None:
        self.count = 0
        self.closed: set[str] = set()
        """Processes that do not show what they have open."""
        self.inodes: set[int] = set()
        self.memory = 0
        """Bytes in files of memory, and in the buffers of sockets."""
        self.shared = 0
        """Those of them in files of memory."""
        self.removed = 0
        """Bytes on disks in files that have no name any more."""
        for pid in pids:
            self._look_at(pid)

    def _look_at(self, pid: str) -> None:
        folder = f"/proc/{pid}/fd"
        try:
            numbers = os.listdir(folder)
        except PermissionError:
            self.closed.add(pid)
            return
        except OSError:  # it has ended
            return
        self.count += len(numbers)
        for number in numbers if self.count <= MOST_DESCRIPTORS else ():
            with suppress(OSError):
                self._add(f"{folder}/{number}")

    def _add(self, descriptor: str) -> None:
        found = os.stat(descriptor)
        is_file, is_socket = stat.S_ISREG(found.st_mode), stat.S_ISSOCK(found.st_mode)
        if not (is_file or is_socket) or found.st_ino in self.inodes:
            return
        self.inodes.add(found.st_ino)
        if is_socket:
            self.memory += SOCKET_BYTES
        elif found.st_nlink == 0:
            size = found.st_blocks * 512
            if os.readlink(descriptor).startswith(("/memfd:", "/dev/shm/")):  # noqa: S108
                self.memory += size
                self.shared += size
            else:
                self.removed += size


def descendants(pid: int, enough: int = 0, but: str = "") -> tuple[list[str], int]:
    """The descendants of a process, and the number of their threads.

    If `enough` is given, the search ends as soon as there are more threads than that. The process
    `but` is left out, but not its descendants.
    """
    found: list[str] = []
    waiting, tasks = _children(str(pid)), 0
    while waiting and not (enough and tasks > enough):
        child = waiting.pop()
        threads = _threads(child)
        if child != but:
            found.append(child)
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


def _uses_more(pids: list[str], opened: Opened, limit: int) -> bool:
    if sum(_sum(f"/proc/{pid}/status", *USED) for pid in pids) + opened.memory <= limit:
        return False
    own, shared = map(sum, zip(*map(_exact, pids), strict=True)) if pids else (0, 0)
    buffers = opened.memory - opened.shared
    return own + max(shared, opened.shared) + buffers > limit


def _exact(pid: str) -> tuple[int, int]:
    """Memory with shared pages counted once, and that of it in memory files.

    A process may prevent us from knowing that.
    """
    rollup, status = f"/proc/{pid}/smaps_rollup", f"/proc/{pid}/status"
    tables = _sum(status, "VmPTE:", "HugetlbPages:")
    if exact := _sum(rollup, "Pss:", "SwapPss:"):
        shared = _sum(rollup, "Pss_Shmem:")
        return exact - shared + tables, shared
    return _sum(status, *USED), 0


def _hidden(pids: list[str], scratch: str, opened: Opened) -> set[str]:
    """Files of the scratch folder that were removed, are mapped, and are not open."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            text = _text(f"/proc/{pid}/maps")
            for line in text.splitlines() if f"{scratch}/" in text else ():
                if line.endswith(" (deleted)") and f" {scratch}/" in line:
                    inode = line.split()[4]
                    if int(inode) not in opened.inodes:
                        found.add(inode)
    return found


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
        with suppress(OSError), os.scandir(_readable(folders.pop())) as entries:
            for entry in entries:
                files += 1
                with suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return size, files


def _readable(folder: str) -> str:
    """The folder, opened again if its maker closed it."""
    if not os.access(folder, os.R_OK | os.X_OK):
        with suppress(OSError):
            os.chmod(folder, 0o700)
    return folder


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
