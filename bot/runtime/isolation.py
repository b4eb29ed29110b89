"""Processes and a user of its own for a program in the box, where the system allows them.

The guardian imports this module by its folder, so it imports nothing of the bot and little of the
standard library.
"""
# ruff: noqa: PTH123

# What an engine can name, it can harm
#
# The problem. The kernel decides by the user whether a process may change the limits of another,
# its priority, or its processors. Engines have the bot's user. The filter of system calls refuses
# all of that (`system_calls.py`), but a filter is one line of defence. Also, processes that an
# engine leaves behind live on if its guardian is killed, for example when memory is short.
#
# The idea. Two more lines of defence, each where it is possible:
#
# - A PID namespace. The engine can name its own processes only, and a new /proc shows no others.
#   The first process of the namespace, "init", is ours. It does nothing but wait for the guardian's
#   end. When init ends, the kernel ends all processes of the namespace, in one step and without
#   exception. The engine itself is the guardian's child, so its status arrives as before.
#   An ordinary user needs a user namespace for that. Ubuntu's AppArmor profile, Docker, and units
#   with `RestrictNamespaces` refuse it; the engine then runs without.
# - A user of its own, if the guardian runs as root. Its number belongs to nobody, and to no other
#   engine. Then even the bot's own files are another user's. This needs that every file of the
#   engine's box is open to all users. If one is not, the engine keeps root's number, and has, as
#   before, none of root's capabilities.
#
# Rejected:
#
# - Numbers from /etc/subuid for an ordinary user. They need two programs with root's rights, which
#   a service without new privileges cannot run, and home folders are closed to all other users.
# - A unit that may change its user (CAP_SETUID). The bot, which talks to the network, could then
#   become root. Operators who want another user run the engine in a unit of its own.
# - The engine as init. Signals whose default is to end a process do not reach init, not even those
#   of its own `abort`.
# - A mount namespace with the engine's files only. Landlock has the same effect, is cheaper, and
#   works where namespaces do not.

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Final, NoReturn

NEW_MOUNTS, NEW_USER, NEW_PROCESSES = 0x20000, 0x10000000, 0x20000000
"""From <linux/sched.h>."""
NO_SUID, NO_DEVICES, NO_PROGRAMS, RECURSIVE, SLAVE = 2, 4, 8, 1 << 14, 1 << 19
"""From <linux/mount.h>."""
PR_SET_DUMPABLE: Final = 4
CAPABILITIES: Final = 0x20080522
"""The version of the interface of `capset`."""
FIRST_USER: Final = 1_900_000_000
"""Users from here on are given out by nobody; the guardian's process id is added."""


def begin_processes() -> int:
    """Begin a PID namespace for all later children, and return its init; 0 if not possible."""
    if ctypes.CDLL(None).unshare(NEW_PROCESSES) != 0 and not (
        _works_in_a_child(_begin_as_user) and _begin_as_user()
    ):
        return 0
    ours, _ = os.pipe()
    init = os.fork()
    if init == 0:
        _be_init(ours)
    os.close(ours)  # the other end is closed when the guardian ends
    return init


def _works_in_a_child(attempt: Callable[[], bool]) -> bool:
    """Whether a child can do that. What half succeeds here could not be undone."""
    child = os.fork()
    if child == 0:
        with suppress(OSError):
            if attempt():
                os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _begin_as_user() -> bool:
    """Begin a PID namespace in a user namespace with our own user only. Raises OSError."""
    user, group = os.geteuid(), os.getegid()
    if ctypes.CDLL(None).unshare(NEW_PROCESSES | NEW_USER) != 0:
        return False
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{file}", "w") as map_file:
            map_file.write(text)
    return True


def _be_init(lifeline: int) -> NoReturn:
    """Wait for the end of the guardian, holding nothing open. The kernel reaps orphans."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.dup2(lifeline, 3)
        os.closerange(4, 1 << 16)
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.capset((ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)())
        os.read(3, 1)
    finally:
        os._exit(0)


def show_own_processes() -> None:
    """Mount a /proc that shows the namespace's processes only, if the system allows it."""
    libc = ctypes.CDLL(None)
    if (
        libc.unshare(NEW_MOUNTS) == 0
        and libc.mount(b"none", b"/", None, RECURSIVE | SLAVE, None) == 0
    ):
        libc.mount(b"proc", b"/proc", b"proc", NO_SUID | NO_DEVICES | NO_PROGRAMS, None)


def own_user(needs: Iterable[tuple[str, bool]]) -> int:
    """Return an unused user who can read and write these files, for an engine of root; 0 if none.

    Args:
        needs: Paths, each with whether the engine writes there.
    """
    if os.geteuid() != 0:
        return 0
    user, groups = FIRST_USER + os.getpid(), os.getgroups()
    try:
        os.setgroups([])
        os.setegid(user)
        os.seteuid(user)
        return user if all(_is_open(path, writes=writes) for path, writes in needs) else 0
    except OSError:  # the number does not exist in this container
        return 0
    finally:
        os.seteuid(0)
        os.setegid(0)
        with suppress(OSError):
            os.setgroups(groups)


def _is_open(path: str, *, writes: bool) -> bool:
    try:
        os.stat(path)  # noqa: PTH116 - `pathlib` is slow to import
    except FileNotFoundError:
        return True
    except OSError:
        return False
    mode = os.R_OK | (os.W_OK if writes else 0)
    if os.path.isdir(path):  # noqa: PTH112
        mode |= os.X_OK
    return os.access(path, mode, effective_ids=True)


def become(user: int) -> None:
    """Change to this user for ever, without groups."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
