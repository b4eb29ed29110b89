"""The children of `bluestone up`: their lines go to a log file and to listeners."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from bot.errors import HostError
from bot.runtime.children import PIPE, PYTHON_M, ChildProcess
from bot.runtime.files import open_private
from bot.runtime.tasks import Overtaken, result_of, unless_overtaken

BLUESTONE: Final = (*PYTHON_M, "bot.cli.guarded")
"""The words before the number of this process and a command of bluestone."""
LARGEST_LOG: Final = 10 * 1024 * 1024
PIPES_LINGER_S: Final = 1.0
"""Seconds for which pipes are read after a child's end, if another process holds them open."""

T = TypeVar("T")
OnLine = Callable[[str], None]
StartCommand = Callable[[Sequence[str], Mapping[str, str] | None], Awaitable[ChildProcess]]
"""Runs a command of bluestone, with an environment on top of this process's."""


async def start_afresh(
    command: Sequence[str], environ: Mapping[str, str] | None = None
) -> ChildProcess:
    """Run `bluestone COMMAND` in a new interpreter, which ends with this process."""
    return await ChildProcess.start(
        [*BLUESTONE, str(os.getpid()), *command], stdout=PIPE, stderr=PIPE, environ=environ
    )


class Child:
    """A bluestone command as a process, in its own process group. It can be restarted.

    `start` runs the command, by default in a new interpreter.
    """

    def __init__(
        self, name: str, log: Path, on_line: OnLine, start: StartCommand | None = None
    ) -> None:
        self.name = name
        self._start = start or start_afresh
        self._log = log
        self._on_line = on_line
        self._waiting: list[OnLine] = []
        self._process: ChildProcess | None = None
        self._pumps: asyncio.Task[None] | None = None
        self._last_line = ""

    async def start(self, command: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
        """Run `bluestone COMMAND`, with `environ` on top of this process's environment."""
        self._process = await self._start(command, environ)
        self._pumps = asyncio.create_task(self._pump_both(self._process))

    async def line_with(self, read: Callable[[str], T | None], seconds: float) -> T:
        """Return the first value of `read(line)` that is not None, from future lines.

        Raises HostError if the process ends first, or if no such line comes within `seconds`.
        """
        found: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def look(line: str) -> None:
            if not found.done() and (value := read(line)) is not None:
                found.set_result(value)

        self._waiting.append(look)
        try:
            async with asyncio.timeout(seconds):
                return await unless_overtaken(result_of(found), by=self.wait())
        except TimeoutError:
            message = f"the {self.name} was not ready within {seconds:g} s; its log is {self._log}"
            raise HostError(message) from None
        except Overtaken:
            said = self._last_line.removeprefix("bluestone: ") or self._log
            message = f"the {self.name} ended with status {await self.wait()}: {said}"
            raise HostError(message) from None
        finally:
            self._waiting.remove(look)

    async def wait(self) -> int:
        """Return the exit status, once the process has ended and its last lines are read."""
        assert self._process is not None
        assert self._pumps is not None
        status = await self._process.wait()
        await asyncio.wait({self._pumps}, timeout=PIPES_LINGER_S)
        return status

    async def end(self, seconds: float) -> None:
        """Ask the process to end, wait for it, then kill its whole group."""
        if self._process is None:
            return
        await self._process.end(seconds)
        await self.wait()
        if self._pumps is not None:
            self._pumps.cancel()

    def kill(self) -> None:
        """Kill the process and its descendants at once."""
        if self._process is not None:
            self._process.kill_group()

    async def _pump_both(self, process: ChildProcess) -> None:
        await asyncio.gather(self._pump(process.output), self._pump(process.errors))

    async def _pump(self, stream: asyncio.StreamReader) -> None:
        while True:
            try:
                raw = await stream.readline()
            except ValueError:  # the line is too long; its start is dropped
                continue
            if not raw:
                return
            self._take(raw.decode(errors="replace").rstrip("\n"))

    def _take(self, line: str) -> None:
        self._last_line = line or self._last_line
        self._write(line)
        for look in self._waiting:
            look(line)
        self._on_line(line)

    def _write(self, line: str) -> None:
        # The file is opened for each line: there are few, and the file may be moved at any time.
        with suppress(OSError):
            if self._log.exists() and self._log.stat().st_size > LARGEST_LOG:
                self._log.replace(self._log.with_suffix(".log.1"))
            with open_private(self._log) as file:
                file.write(line + "\n")
