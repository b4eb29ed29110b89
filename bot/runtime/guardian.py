"""A process between the bot and a child, such as an engine: the child ends when the bot does.

`python -I -S guardian.py LIFELINE REPORT [LIMITS] -- COMMAND...` runs the command as its child and
waits. LIFELINE, REPORT and LIMITS are the numbers of descriptors that it inherits. When the engine
ends, the guardian ends its descendants, then itself with the engine's status. When the other end of
LIFELINE is closed, or at SIGINT, SIGTERM or SIGHUP, it kills the engine and all its descendants. If
the command cannot be run, the guardian writes the errno to REPORT; if the command breaks its
limits, it writes how.

With limits, the command is confined (`confinement.py`, `system_calls.py`, `isolation.py`) and
watched (`process_watch.py`). LIMITS is a file of words, each ended by a NUL:

    --scratch=FOLDER   made before the start, and removed after the end
    --memory=BYTES, --tasks=N, --disk=BYTES, --cpus=N, --nice=N, --network, --shared
    --list=PATH, --read=PATH, --use=PATH, --write=PATH   what it may do with which files

On Linux it finds descendants that left the engine's group or session (PR_SET_CHILD_SUBREAPER). On
other systems it ends the engine's process group only.

It must start quickly, so it imports nothing of the bot, and neither `pathlib` nor `typing`, which
take longer than all the rest.
"""
# ruff: noqa: PTH102, PTH106, PTH113, PTH118, PTH120, PTH123, PTH208

# How a child ends when its parent does
#
# The problem. A bot may be killed at any moment, with SIGKILL or by the kernel when memory is
# short. It cannot clean up then. Its engines, and their children, would continue to search without
# a reader: at the next start they would hold the processors, the GPU and the files. An engine may
# be any program. It may ignore signals, ignore the end of its stdin, fork, leave its process group
# or its session.
#
# The idea. A guardian is a process between the two, which does nothing but wait.
#
# - The bot holds the writing end of a pipe, LIFELINE, and never writes. When the bot is gone,
#   however it ended, the kernel closes that end, and the guardian reads the end of the file.
# - The guardian is a "child subreaper": a descendant whose parent dies becomes the guardian's
#   child, not that of process 1. So the guardian finds every descendant among its own children,
#   round by round: it kills all of them, waits for one, and looks again until none is left.
# - The engine asks for SIGKILL at its parent's death (PR_SET_PDEATHSIG), for the case that the
#   guardian itself is killed. It checks its parent afterwards, since that may already be gone.
# - The guardian ends with the engine's own status, so the bot sees one process, not two.
# - An engine that forks and ends at once, again and again, is always gone before its process is
#   found. A guardian with limits therefore starts it in a PID namespace, whose end no process
#   survives, also if the guardian itself is killed (`isolation.py`).
# - Where namespaces are forbidden, it first gives up the right to signal processes that are not its
#   own descendants (Landlock, Linux 6.12). `kill(-1)` then means exactly those, and the kernel ends
#   all of them in one step, in which none can fork. Without that right given up, `kill(-1)` would
#   end every program of the user, so the guardian tests it on its parent first.
#
# Rejected:
#
# - PR_SET_PDEATHSIG alone. It reaches the child, but none of the child's own children.
# - A process group alone. A program leaves it with one call to `setsid`. The guardian kills the
#   group as well, and on systems without subreapers it can do no more.
# - Control groups. They would do all of this, but need rights that a user's program rarely has.
# - A thread or `atexit` handler in the bot. Neither runs after SIGKILL.
# - Passing the engine's lines through the guardian. That would cost two more copies and wake-ups
#   per line; the engine has the bot's pipes itself, and the guardian closes its own copies so that
#   the bot notices when the engine closes its end.

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
"""From <linux/prctl.h>."""

COMMAND: Final = (sys.executable, "-I", "-S", __file__)
"""The command of a guardian.

The descriptors of LIFELINE and REPORT and the child's command follow.
"""
ASKED_TO_END: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CANNOT_RUN: Final = 127
OUTSIDE: Final = 0
"""The parent of a process whose parent is in an outer PID namespace."""
PERIOD_S: Final = 0.2
"""Seconds between two looks at what the engine uses."""


PATH_RULES: Final = ("list", "read", "use", "write")


class ProcessLimits:
    """The limits of a command. The modules they need are loaded only here, to start quickly."""

    def __init__(self, words: list[str]) -> None:
        sys.path.append(os.path.dirname(__file__))  # after the standard library
        self._confinement = confinement = __import__("confinement")
        self._isolation = __import__("isolation")
        self._calls = __import__("system_calls")
        process_watch = __import__("process_watch")
        self._remove = process_watch.remove
        self._rules: list[tuple[int, str]] = []
        names = ("scratch", "memory", "tasks", "disk", "cpus", "nice", "network", "shared")
        values = dict.fromkeys(names, "")
        for word in words:
            name, _, value = word.removeprefix("--").partition("=")
            if name in PATH_RULES:
                self._rules.append((getattr(confinement, name.upper()), value))
            else:
                values[name] = value or "1"
        self._network, self._shared = bool(values["network"]), bool(values["shared"])
        self._nice, self._cpus = int(values["nice"] or 0), int(values["cpus"] or 0)
        self.scratch = values["scratch"]
        numbers = {name: int(values[name] or 0) for name in ("memory", "tasks", "disk")}
        self._numbers = numbers
        self.watch = process_watch.ProcessWatch(scratch=self.scratch, **numbers)
        self._user = 0
        self.init = 0
        """The first process of the namespace, 0 without one. All others end with it."""
        self.contained = False
        """Whether `kill(-1)` reaches our own descendants only."""

    def prepare(self, program: str) -> None:
        """Make the scratch folder, and begin what all processes of the engine live in."""
        writable = self._confinement.WRITE
        needs = [(path, rights == writable) for rights, path in self._rules if path != self.scratch]
        self._user = self._isolation.own_user([(program, False), *needs])
        if self.scratch:
            os.mkdir(self.scratch, 0o700)
            if self._user:
                os.chown(self.scratch, self._user, self._user)
        privileged = not self._confinement.give_up_privileges()
        self.init = 0 if privileged else self._isolation.begin_processes()
        self.contained = not (privileged or self.init) and self._confinement.scope_signals()
        self.watch.init = self.init

    def give_up_means(self) -> None:
        """Limit the calling process, which is about to become the engine, and change its user."""
        os.nice(self._nice)
        if self.init:
            self._isolation.show_own_processes()
        self._confinement.drop_capabilities()
        user = self._user or os.getuid()
        self._confinement.limit_resources(**self._numbers, cpus=self._cpus, user=user)
        if self._user:
            self._isolation.become(self._user)

    def confine(self) -> None:
        """Restrict the files and the system calls of the calling process."""
        self._confinement.restrict_files(self._rules, network=self._network)
        self._calls.filter_calls(
            network=self._network,
            shared_memory=self._shared,
            binding=not self._cpus,
            truncating=self._confinement.restricts_truncation(),
        )

    def clean_up(self) -> None:
        """Remove the scratch folder.

        A folder that is not empty is removed by a process that nobody waits for. In a namespace
        that has ended none can start, so there the guardian removes it.
        """
        if not self.scratch:
            return
        try:
            os.rmdir(self.scratch)
        except OSError:
            if self.init:
                self._remove(self.scratch)
            elif os.fork() == 0:
                self._remove(self.scratch)
                os._exit(0)


def main(lifeline: int, report: int, words: list[str]) -> NoReturn:
    for descriptor in (lifeline, report):
        os.set_inheritable(descriptor, False)
    end = words.index("--")
    limits = ProcessLimits(_read_words(int(words[0]))) if end else None
    wake = _wake_on_signals()
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    command = words[end + 1 :]
    # Not execvp: it imports a module, and the box may hide the library of our own Python.
    program = _found(command[0])
    if limits:
        try:
            limits.prepare(program)
        except OSError as error:
            os.write(report, str(error.errno).encode())
            os._exit(CANNOT_RUN)
    guardian, engine = os.getpid(), os.fork()
    if engine == 0:
        _become(program, command, report, guardian, limits)
    _let_go_of_pipes()
    status = _wait(engine, lifeline, wake, report, limits)
    os.close(report)
    if limits and limits.init:
        status = _end_all(limits.init, engine, status)
    else:
        status = _end(engine, status, is_contained=limits is not None and limits.contained)
    if limits:
        limits.clean_up()
    _end_like(status)


def _read_words(descriptor: int) -> list[str]:
    with open(descriptor, "rb") as file:
        return os.fsdecode(file.read()).split("\0")[:-1]


def _wake_on_signals() -> int:
    """Return a descriptor from which the numbers of signals can be read."""
    wake, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    for number in (signal.SIGCHLD, *ASKED_TO_END):
        signal.signal(number, lambda *_: None)
    return wake


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _become(
    program: str, command: list[str], report: int, guardian: int, limits: ProcessLimits | None
) -> NoReturn:
    """Become the engine, in a session of its own, which does not outlive the guardian."""
    try:
        os.setsid()
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores both
            signal.signal(number, signal.SIG_DFL)
        if limits:
            limits.give_up_means()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of the user forgets it
        if os.getppid() not in (guardian, OUTSIDE):
            os._exit(CANNOT_RUN)
        if limits:
            limits.confine()
        os.execv(program, command)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(report, str(error.errno).encode())
    finally:
        os._exit(CANNOT_RUN)


def _found(program: str) -> str:
    """The path of a program; one that is named without a slash is looked up in PATH."""
    places = [] if "/" in program else os.environ.get("PATH", os.defpath).split(os.pathsep)
    for place in places:
        path = os.path.join(place, program)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return program


def _let_go_of_pipes() -> None:
    """Close our copies, so that the bot notices when the engine closes its own."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _wait(
    engine: int, lifeline: int, wake: int, report: int, limits: ProcessLimits | None
) -> int | None:
    """Wait for the engine's end and return its wait status; None if the guardian must end it."""
    next_look = time.monotonic() + PERIOD_S
    while True:
        left = max(0.0, next_look - time.monotonic()) if limits else None
        ready, _, _ = select.select([lifeline, wake], [], [], left)
        if limits and time.monotonic() >= next_look:  # also if children end without end
            if excess := limits.watch.excess():
                os.write(report, excess.encode())
                return None
            next_look = time.monotonic() + PERIOD_S
        told = os.read(wake, 512) if wake in ready else b""
        if lifeline in ready or set(told) & set(ASKED_TO_END):
            return None
        while (ended := _reap(os.WNOHANG)) is not None:
            if ended[0] == engine:
                return ended[1]


def _reap(how: int) -> tuple[int, int] | None:
    """Return the pid and wait status of a child that has ended, or None."""
    with suppress(ChildProcessError):
        pid, status = os.waitpid(-1, how)
        return (pid, status) if pid else None
    return None


def _end(engine: int, status: int | None, *, is_contained: bool) -> int:
    """End the engine's group and every descendant. Return the engine's wait status.

    A process whose parent is killed becomes our own child, so the next round finds it.
    """
    while True:
        if is_contained:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(-1, signal.SIGKILL)
        _kill_group(engine)
        if status is None:
            _kill(engine)  # it may have no group of its own yet
        children = [] if is_contained else _children()
        for child in children:
            _kill(child)
        if status is not None and not (is_contained or children):
            return status
        ended = _reap(0)
        if ended is None:  # none is left
            return status or 0
        if ended[0] == engine:
            status = ended[1]


def _end_all(init: int, engine: int, status: int | None) -> int:
    """End a namespace, and with it all its processes. Return the engine's wait status."""
    _kill(init)
    while (ended := _reap(0)) is not None:
        if ended[0] == engine:
            status = ended[1]
    return status or 0


def _kill_group(engine: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the group is empty, or does not exist yet
        os.killpg(engine, signal.SIGKILL)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _children() -> list[int]:
    """Return our children, including dead ones until we have waited for them; none without
    /proc.
    """
    us = str(os.getpid())
    with suppress(OSError):
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and _parent(pid) == us]
    return []


def _parent(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[1]
    except OSError:  # it has ended already
        return ""


def _end_like(status: int) -> NoReturn:
    """End as the engine did, so that the bot reads its exit status from ours."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        _without_core_dump()
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _without_core_dump() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
