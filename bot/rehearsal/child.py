"""The bot under rehearsal, as a process that is killed and started again."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bot.errors import HostError


class Child:
    """`command` in a session of its own; both its outputs are appended to `log`."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], log: Path) -> None:
        self._command = command
        self._environ = environ
        self._log = log
        self._process: asyncio.subprocess.Process | None = None

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return None if self._process is None else self._process.returncode

    async def start(self) -> None:
        """Raises HostError if the program cannot be started."""
        try:
            with self._log.open("ab") as log:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env={**os.environ, **self._environ},
                    start_new_session=True,
                )
        except OSError as error:
            raise HostError(f"{self._command[0]}: cannot be started: {error}") from error

    async def kill(self) -> None:
        """SIGKILL to the process alone: what it started has to see to itself."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def end(self, seconds: float) -> int | None:
        """Ask it to end, and kill its whole group if it does not; returns its exit status."""
        if self._process is None:
            return None
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), seconds)
        except TimeoutError:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
        return self._process.returncode
