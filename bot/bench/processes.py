"""Our own programs as children of a measurement."""

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.errors import HostError

START_S = 120.0
END_S = 20.0


@asynccontextmanager
async def serving(*arguments: str) -> AsyncIterator[str]:
    """Run `bluestone ARGUMENTS` until the end of the block; gives the address that it prints.

    Raises HostError if it prints none in two minutes.
    """
    process = await asyncio.create_subprocess_exec(
        *_command(arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    reader = None
    try:
        async with asyncio.timeout(START_S):
            address = await _address(process.stdout)
        reader = asyncio.create_task(_drain(process.stdout))
        yield address
    except TimeoutError:
        raise HostError(f"bluestone {arguments[0]} was not up in {START_S:.0f} s") from None
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        try:
            await asyncio.wait_for(process.wait(), END_S)
        except TimeoutError:
            process.kill()
            await process.wait()
        if reader is not None:
            await reader


def _command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "bot", *arguments]


async def _address(output: asyncio.StreamReader) -> str:
    said = []
    while line := (await output.readline()).decode(errors="replace"):
        said.append(line.strip())
        if found := re.search(r"http://[\w.:\[\]-]+", line):
            return found[0]
    raise HostError(f"it ended at once: {' / '.join(said[-3:])}")


async def _drain(output: asyncio.StreamReader) -> None:
    while await output.read(65536):
        pass
