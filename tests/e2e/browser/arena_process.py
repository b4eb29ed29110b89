"""A real arena in its own process, which a test can stop and start again."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.arena.players.accounts import issue_token
from tests.fakes.ports import HeldPort

START_S = 60
STOP_S = 20


class ArenaProcess:
    """`bluestone arena` on a data folder, with more arguments; keeps its port over restarts."""

    def __init__(self, data: Path, *arguments: str) -> None:
        self.data = data
        self._arguments = arguments
        self.address = ""
        self._process: asyncio.subprocess.Process | None = None
        self._log = data / "arena.log"
        self._port = HeldPort()

    async def start(self) -> None:
        """Start it, and wait until people can play."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "arena", "--port", str(self._port.number)),
                *("--data", str(self.data), *self._arguments),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**os.environ, "PYTHONWARNINGS": "default"},
            )
        self.address = await asyncio.wait_for(self._first_address(), START_S)

    async def _first_address(self) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            if line.startswith(b"http://"):
                return line.decode().strip()
        raise AssertionError(f"the arena did not start:\n{self._log.read_text()}")

    async def stop(self) -> None:
        """Stop it as an operator would, and wait until it has ended."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.communicate(), STOP_S)
        except TimeoutError:
            process.kill()
            await process.communicate()
            raise

    async def kill(self) -> None:
        """End it at once, as a power cut would."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            await process.communicate()

    async def token(self, name: str) -> str:
        """A bot's token."""
        return await issue_token(self.data, name)


@asynccontextmanager
async def running(data: Path, *arguments: str) -> AsyncIterator[ArenaProcess]:
    """A running arena on that folder."""
    process = ArenaProcess(data, *arguments)
    try:
        await process.start()
        yield process
    finally:
        await process.stop()
        process._port.close()
