"""Programs of this project as child processes of a measurement."""

import asyncio
import re
import resource
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.bench.usage import ProcessUsage, usage_of
from bot.errors import HostError
from bot.runtime.children import PIPE, PYTHON_M, ChildProcess

START_S = 120.0
END_S = 20.0


@dataclass(frozen=True)
class Program:
    """A running server, and the file of its log."""

    address: str
    process: ChildProcess
    log: Path

    def check_it_runs(self) -> None:
        """Raise HostError if the program has ended, which makes the measurement invalid."""
        if (code := self.process.status) is not None:
            said = " / ".join(_lines_of(self.log)[-3:])
            raise HostError(f"the program ended during the measurement, with {code}: {said}")

    def usage(self) -> ProcessUsage | None:
        """Return the usage of the program and its children; None if the system does not
        provide it.
        """
        return usage_of(self.process.pid)

    def database_usage(self) -> ProcessUsage | None:
        """Return None: the database is a file, or nothing of this program's."""
        return None

    def log_lines(self) -> int:
        with self.log.open("rb") as file:
            return sum(1 for _ in file)


@asynccontextmanager
async def serving(*arguments: str) -> AsyncIterator[str]:
    """Run `bluestone ARGUMENTS` until the end of the block, and yield the address that it prints.

    Raises HostError if it prints none within two minutes.
    """
    async with running([*PYTHON_M, "bot", *arguments]) as program:
        yield program.address


@asynccontextmanager
async def running(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> AsyncIterator[Program]:
    """Run a server until the end of the block, in a session of its own.

    It inherits the environment, updated with `environment`.

    Raises HostError if it does not start, or prints no address within two minutes.
    """
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as errors:
            process = await ChildProcess.start(
                command, stdout=PIPE, stderr=errors, environ=environment
            )
        reader = None
        try:
            address = await _address_in_time(process.output, log)
            reader = asyncio.create_task(_drain(process.output))
            yield Program(address, process, log)
        finally:
            await process.end(END_S, signal.SIGINT)
            if reader is not None:
                await reader


def allow_many_connections() -> None:
    """Raise the limit of file descriptors, of this process and its children, as far as possible."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS says "unlimited" and refuses it
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _address_in_time(output: asyncio.StreamReader, log: Path) -> str:
    try:
        async with asyncio.timeout(START_S):
            return await _address(output, log)
    except TimeoutError:
        raise HostError(f"the program printed no address within {START_S:.0f} s") from None


async def _address(output: asyncio.StreamReader, log: Path) -> str:
    said = []
    while line := (await output.readline()).decode(errors="replace"):
        said.append(line.strip())
        if found := re.search(r"http://[\w.:\[\]-]+", line):
            return found[0]
    said += await asyncio.to_thread(_lines_of, log)
    raise HostError(f"the program ended at once: {' / '.join(said[-3:]) or 'without a message'}")


def _lines_of(log: Path) -> list[str]:
    return log.read_text(errors="replace").splitlines()


async def _drain(output: asyncio.StreamReader) -> None:
    while await output.read(65536):
        pass
