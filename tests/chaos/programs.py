"""Our programs as processes that can be killed and restarted."""

import asyncio
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.runtime.children import PIPE, ChildProcess

START_S: Final = 60.0
"""A generous limit for a busy machine."""
STOP_S: Final = 30.0
POLL_S: Final = 0.01
OURS: Final = (sys.executable, "-m", "bot")


@dataclass(frozen=True)
class Ended:
    """The end of a short program. `served` says that it was up before."""

    served: bool
    status: int
    errors: str


class DidNotStartError(Exception):
    """A program ended instead of starting, or took too long."""


class Program:
    """A program.

    `log` has the lines of its stderr so far; with `log_file` they go there instead.
    """

    def __init__(
        self,
        command: Sequence[str],
        log_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.log: list[str] = []
        self._command = command
        self._log_file = log_file
        self._environ = {"PYTHONWARNINGS": "default", **(environ or {})}
        self._process: ChildProcess | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._said: list[str] = []

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.status is None

    @property
    def has_ended(self) -> bool:
        """Whether it has ended by itself."""
        return self._process is not None and self._process.status is not None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def spawn(self, *more: str) -> None:
        """Start the program with additional arguments."""
        self._said.clear()
        command = [*self._command, *more]
        environ = self._environ
        if self._log_file is None:
            process = await ChildProcess.start(command, stdout=PIPE, stderr=PIPE, environ=environ)
            self._readers = [asyncio.create_task(_read(process.errors, self.log))]
        else:
            with self._log_file.open("ab") as errors:
                process = await ChildProcess.start(
                    command, stdout=PIPE, stderr=errors, environ=environ
                )
            self._readers = []
        self._readers.append(asyncio.create_task(_read(process.output, self._said)))
        self._process = process

    async def says(self, beginning: str) -> str:
        """Return the first line of its stdout that starts with this text.

        Raises DidNotStartError.
        """
        assert self._process is not None
        try:
            async with asyncio.timeout(START_S):
                while not (found := [line for line in self._said if line.startswith(beginning)]):
                    if self._process.status is not None:
                        raise DidNotStartError("\n".join(self.log[-20:]))
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise DidNotStartError(
                f"{self._command}: no such line within {START_S:.0f} s"
            ) from None
        return found[0]

    async def kill(self) -> None:
        """Send SIGKILL, and wait until the process is gone."""
        await self._end(signal.SIGKILL, START_S)

    async def stop(self) -> int:
        """Send SIGTERM, as an operator would, and return the exit status."""
        return await self._end(signal.SIGTERM, STOP_S)

    async def ended(self, within_s: float) -> int:
        """Return the exit status of a program that ends itself; kill it if it does not."""
        return await self._end(None, within_s)

    async def _end(self, number: signal.Signals | None, seconds: float) -> int:
        process = self._process
        if process is None:
            return 0
        if number is not None:
            process.send_signal(number)
        try:
            status = await asyncio.wait_for(process.wait(), seconds)
        except TimeoutError:
            process.kill()
            status = await process.wait()
        # Its children may hold the pipes open after its end.
        await asyncio.wait(self._readers, timeout=1)
        for reader in self._readers:
            reader.cancel()
        self._process = None
        return status

    def all_lines(self) -> list[str]:
        """Return all lines of its log, wherever it is."""
        if self._log_file is None:
            return self.log
        return self._log_file.read_text(errors="replace").splitlines()

    def lines_with(self, text: str, since: int = 0) -> list[str]:
        return [line for line in self.log[since:] if text in line]


async def run_to_end(command: Sequence[str]) -> Ended:
    """Run a program that is expected to end. If it reports that it serves, ask it to end."""
    process = await ChildProcess.start(command, stdout=PIPE, stderr=PIPE)
    errors = asyncio.create_task(process.errors.read())
    try:
        served = bool(await asyncio.wait_for(process.output.readline(), START_S))
        if served:
            process.send_signal(signal.SIGTERM)
        status = await asyncio.wait_for(process.wait(), STOP_S)
    except BaseException:
        process.kill()
        raise
    return Ended(served, status, (await errors).decode(errors="replace"))


async def _read(stream: asyncio.StreamReader, lines: list[str]) -> None:
    while line := await stream.readline():
        lines.append(line.decode(errors="replace").rstrip())
