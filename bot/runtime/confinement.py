"""What the kernel lets a program do: confined between `fork` and `exec`, without rights of root.

The guardian imports this module by its folder, so it imports nothing of the bot and little of the
standard library. Each function returns whether the kernel supports its protection; where it does
not, the program runs without it.
"""
# ruff: noqa: PTH112, PTH116

# Engines in a box
#
# The problem. An engine may be a stranger's program, and it runs as the bot's own user. It could
# read the bot's token, send it away, delete the journal, or end the bot by a signal. The bot has no
# rights of root, may run in a container, and starts an engine in milliseconds.
#
# The idea. A process may give up rights for itself and its descendants, for ever:
#
# - Landlock (Linux 5.13) allows only the listed files. All others cannot be opened, created,
#   renamed or removed. It also hides the memory and environment of processes outside (`ptrace`),
#   and since Linux 6.12 an engine can send them no signal.
# - A filter of system calls (`system_calls.py`) refuses `socket`, and so every network: IPv4, IPv6,
#   and the local sockets of a session bus or container service, through which a program could start
#   others outside the box. Landlock alone cannot do that: it knows TCP only, not UDP, nor sockets
#   that have a path. `socketpair` still works; it reaches nobody. The filter also refuses what
#   Landlock does not know, such as changes of other processes' limits and of files' times.
# - Where the system allows it, the engine has a PID namespace, or a user of its own
#   (`isolation.py`).
# - Limits of resources (`setrlimit`) for the size of a file, core dumps, private memory, open
#   files, and the number of the user's processes. Processors by `sched_setaffinity`, before the
#   filter makes that call do nothing.
# - An engine is the kernel's first choice when the machine is out of memory (`oom_score_adj`).
#
# Rejected:
#
# - Namespaces alone. Ubuntu and Docker forbid them, so they are missing where many bots run. A
#   network namespace would take milliseconds, for what the filter does in none.
# - `systemd-run --user --scope`. It needs a user manager, which a service does not have, and a
#   start takes a message to it and back.
# - Control groups of our own. A process has to be delegated one, and then has to move itself into a
#   leaf. The unit's own MemoryMax and TasksMax bound the bot with all of its engines.
# - RLIMIT_CPU. It counts the seconds of one process over its whole life. A bot plays for months,
#   and a program that forks starts again at zero. An engine's share is processors, not seconds.
# - RLIMIT_AS. Go, Java, CUDA and Numba reserve far more addresses than they use. RLIMIT_DATA counts
#   only private memory that can be written.
# - A list of forbidden files. Landlock knows none, and it would be wrong with the first new secret.

from __future__ import annotations

import ctypes
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

PR_SET_NO_NEW_PRIVS: Final = 38
PR_CAPBSET_DROP: Final = 24
CAPABILITIES: Final = 0x20080522
"""The version of the interface of `capget` and `capset`."""

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""The numbers of Landlock's system calls, the same on every processor."""
RULESET_VERSION: Final = 1
RULE_PATH_BENEATH: Final = 1

# <linux/landlock.h>
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
OF_FILES: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that make sense for a file; all others are about folders."""
FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights of files each version knows; later versions know 16."""
TRUNCATE_SINCE, NETWORK_SINCE, SIGNALS_SINCE = 3, 4, 6
BIND_AND_CONNECT_TCP: Final = 0b11
ABSTRACT_SOCKETS, SIGNALS = 1 << 0, 1 << 1

READ: Final = EXECUTE | READ_FILE | READ_DIR
LIST: Final = READ_DIR
USE: Final = READ_FILE | WRITE_FILE | READ_DIR | TRUNCATE | IOCTL_DEV
WRITE: Final = 0xFFFF & ~(MAKE_CHAR | MAKE_BLOCK)

MOST_OPEN_FILES: Final = 4096
"""Files and sockets that one process may have open."""
SPARE_TASKS: Final = 2048
"""Processes and threads that the rest of the user's programs may start while an engine runs."""


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("fs", ctypes.c_uint64),
        ("net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def prctl(option: int, *arguments: int) -> int:
    padded = [ctypes.c_ulong(each) for each in (*arguments, 0, 0, 0, 0)[:4]]
    return int(ctypes.CDLL(None).prctl(option, *padded)) if sys.platform == "linux" else -1


def _syscall(number: int, *arguments: object) -> int:
    return int(ctypes.CDLL(None).syscall(ctypes.c_long(number), *arguments))


def give_up_privileges() -> bool:
    """No program started from now on gains rights, such as those of `sudo`."""
    return prctl(PR_SET_NO_NEW_PRIVS, 1) == 0


def drop_capabilities() -> None:
    """The next program has no capability, even if we are root."""
    for capability in range(64):
        if prctl(PR_CAPBSET_DROP, capability) != 0:
            break
    header, sets = (ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None)
    if libc.capget(header, sets) == 0 and (sets[2] or sets[5]):
        sets[2] = sets[5] = 0  # the inheritable ones, which some containers give to root
        libc.capset(header, sets)  # a unit may forbid this call, but then there are none


# ---- Landlock ----------------------------------------------------------------------------------


def landlock_version() -> int:
    """The version of Landlock's interface; 0 if the kernel does not offer it."""
    if sys.platform != "linux":
        return 0
    return max(0, _syscall(CREATE_RULESET, None, ctypes.c_size_t(0), RULESET_VERSION))


def restricts_truncation() -> bool:
    """Whether Landlock restricts `truncate`."""
    return landlock_version() >= TRUNCATE_SINCE


def scope_signals() -> bool:
    """From now on we can send signals to our own descendants only. Test it on our parent."""
    if landlock_version() < SIGNALS_SINCE or not _restricted(_Ruleset(scoped=SIGNALS), ()):
        return False
    try:
        os.kill(os.getppid(), 0)
    except PermissionError:
        return True
    return False


def restrict_files(rules: Iterable[tuple[int, str]], *, network: bool) -> bool:
    """Allow only these paths, each with its rights; without `network` no TCP either."""
    version = landlock_version()
    if version == 0:
        return False
    ruleset = _Ruleset(fs=(1 << FILE_RIGHTS.get(version, 16)) - 1)
    if version >= NETWORK_SINCE and not network:
        ruleset.net = BIND_AND_CONNECT_TCP
    if version >= SIGNALS_SINCE:
        ruleset.scoped = SIGNALS if network else SIGNALS | ABSTRACT_SOCKETS
    return _restricted(ruleset, rules)


def _restricted(ruleset: _Ruleset, rules: Iterable[tuple[int, str]]) -> bool:
    size = 24 if ruleset.scoped else 16 if ruleset.net else 8  # older kernels know less of it
    descriptor = _syscall(
        CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0)
    )
    if descriptor < 0:
        return False
    try:
        for rights, path in rules:
            _allow(descriptor, rights & ruleset.fs, path)
        return _syscall(RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0)) == 0
    finally:
        os.close(descriptor)


def _allow(ruleset: int, rights: int, path: str) -> None:
    """Allow what is at that path. A path that does not exist, or cannot be reached, is left out."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= OF_FILES
    rule = _PathBeneath(allowed=rights, parent=descriptor)
    _syscall(
        ADD_RULE, ctypes.c_int(ruleset), RULE_PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0)
    )
    os.close(descriptor)


# ---- limits ------------------------------------------------------------------------------------


def limit_resources(*, memory: int, tasks: int, disk: int, cpus: int, user: int) -> None:
    """Limits in bytes, tasks and processors, 0 for none. A limit that is stricter already stays.

    Args:
        user: The user that the process will become; its tasks count.
    """
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, MOST_OPEN_FILES)
    if disk:
        _lower(resource.RLIMIT_FSIZE, disk)
    if sys.platform == "linux":
        if memory:
            _lower(resource.RLIMIT_DATA, 2 * memory)
        if tasks and user != 0:  # the kernel exempts root
            _lower(resource.RLIMIT_NPROC, tasks_of(user) + tasks + SPARE_TASKS)
        if cpus:
            _use_processors(cpus)
        _prefer_when_out_of_memory()


def _use_processors(number: int) -> None:
    """Use that many neighbouring processors from now on, at a random place: others have theirs."""
    ours = sorted(os.sched_getaffinity(0))
    first = int.from_bytes(os.urandom(4), "little") % len(ours)
    os.sched_setaffinity(0, {ours[(first + i) % len(ours)] for i in range(number)})


def _lower(which: int, value: int) -> None:
    soft, hard = (
        value if old == resource.RLIM_INFINITY else min(value, old)
        for old in resource.getrlimit(which)
    )
    resource.setrlimit(which, (soft, hard))


def tasks_of(user: int) -> int:
    """The number of processes and threads of the user, as RLIMIT_NPROC counts them."""
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == user:
                    count += os.stat(f"{entry.path}/task").st_nlink - 2
            except OSError:  # it has ended
                continue
    return count


def _prefer_when_out_of_memory() -> None:
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(descriptor, b"1000")
        os.close(descriptor)
    except OSError:
        return
