"""Programs as child processes: each in a session of its own, and ended within a bounded time.

A program that must end even when this one is killed runs under `bot.runtime.guardian` instead:
engines (`bot.engines.channel`) and the compiler (`bot.runtime.kernels`).
"""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, Protocol, Self

from bot.errors import HostError

PYTHON_M: Final = (sys.executable, "-P", "-m")
"""The words before a module's name that run it as a program.

Without `-P`, Python would look for modules in the working directory first, and import a `random.py`
there instead of the standard library's.
"""
PIPE: Final = asyncio.subprocess.PIPE
STDOUT: Final = asyncio.subprocess.STDOUT
DEVNULL: Final = asyncio.subprocess.DEVNULL
LONGEST_LINE: Final = 1 << 20
PR_SET_PDEATHSIG: Final = 1
"""From <linux/prctl.h>. On other systems only the parent itself ends its children."""


def end_with(parent: int, request: signal.Signals = signal.SIGTERM) -> None:
    """Receive `request` when the parent ends, or exit if it has already ended.

    It stays so if this process runs another program, unless that one has another user.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, request)
    if os.getppid() != parent:
        sys.exit(0)


class RunningProcess(Protocol):
    """What a process of asyncio has; `stdin` to `stderr` are its pipes, if it has any."""

    pid: int
    stdin: asyncio.StreamWriter | None
    stdout: asyncio.StreamReader | None
    stderr: asyncio.StreamReader | None

    @property
    def returncode(self) -> int | None: ...
    async def wait(self) -> int: ...
    async def communicate(self) -> tuple[bytes, bytes]: ...


class ChildProcess:
    """A program that runs, or has ended."""

    def __init__(self, process: RunningProcess) -> None:
        self._process = process

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        stdin: int = DEVNULL,
        stdout: int | IO[bytes] = DEVNULL,
        stderr: int | IO[bytes] = DEVNULL,
        environ: Mapping[str, str] | None = None,
        longest_line: int = LONGEST_LINE,
    ) -> Self:
        """Run the command; it inherits the environment, with `environ` on top.

        `output.readline` raises ValueError for a line of more than `longest_line` bytes. Raises
        HostError if the program cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, **(environ or {})},
                limit=longest_line,
                start_new_session=True,
            )
        except OSError as error:
            why = error.strerror or error
            raise HostError(f"{command[0]}: cannot be started: {why}") from error
        return cls(process)

    @classmethod
    async def start_logged(
        cls, command: Sequence[str], log: Path, environ: Mapping[str, str] | None = None
    ) -> Self:
        """Like `start`, with both outputs appended to the file `log`."""
        with log.open("ab") as file:
            return await cls.start(command, stdout=file, stderr=file, environ=environ)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while the program runs."""
        return self._process.returncode

    @property
    def input(self) -> asyncio.StreamWriter:
        """The writing end of `stdin=PIPE`."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def output(self) -> asyncio.StreamReader:
        """The reading end of `stdout=PIPE`."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def errors(self) -> asyncio.StreamReader:
        """The reading end of `stderr=PIPE`."""
        assert self._process.stderr is not None
        return self._process.stderr

    async def communicate(self) -> tuple[bytes, bytes]:
        """Return everything that the program writes to its pipes until it ends."""
        output, errors = await self._process.communicate()
        return output or b"", errors or b""

    async def wait(self) -> int:
        """Wait for the program's end and return its exit status.

        If the program ends during the call, the call also waits until its pipes are closed: a
        process that it started may hold them open.
        """
        return await self._process.wait()

    async def end(self, seconds: float, request: signal.Signals = signal.SIGTERM) -> int:
        """Send `request`, wait up to `seconds`, then kill the group; return the exit status.

        Processes that the program left behind in its group are killed in any case.
        """
        self.send_signal(request)
        return await self.wait_or_kill(seconds)

    async def wait_or_kill(self, seconds: float) -> int:
        """Like `end`, for a program that ends without a signal, such as at the end of its input."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), seconds)
        self.kill_group()
        return await self._process.wait()

    def kill_group(self) -> None:
        """Send SIGKILL to the program and the processes in its group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """Send SIGKILL to the program, but not to what it started."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the program alone; does nothing after its end.

        In Python 3.11 asyncio's own `send_signal` may reap the program; its status is lost then.
        """
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, number)
