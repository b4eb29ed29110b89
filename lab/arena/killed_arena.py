"""An arena that is killed and restarted on the same folder, and the accounts on it."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bot.bench.arena_load import OURS
from bot.bench.processes import Program, running
from bot.errors import HostError
from bot.runtime.children import PIPE, ChildProcess
from bot.runtime.tasks import a_few_at_once

END_S: Final = 60.0
COMMAND_S: Final = 120.0
PROGRAMS_AT_ONCE: Final = 2
KEY: Final = re.compile(r"#guest_key=(\S+)")


class KilledArena:
    """Made by `killable_arena`. It has the default limits, and always the same folder and port."""

    def __init__(self, data: Path, config: Path) -> None:
        self.data = data
        self.address = ""
        self._config = config
        self._running = AsyncExitStack()
        self._program: Program | None = None

    async def start(self) -> None:
        """Return when the arena is up. Raises HostError if that takes two minutes."""
        port = urlsplit(self.address).port or 0
        options = ("--port", str(port), "--data", str(self.data), "--config", str(self._config))
        self._program = await self._running.enter_async_context(running([*OURS, *options]))
        self.address = self._program.address

    async def kill(self) -> None:
        """Send SIGKILL and wait for the end. Raises HostError if the arena had ended before."""
        assert self._program is not None
        self._program.check_it_runs()
        self._program.process.kill()
        try:
            await asyncio.wait_for(self._program.process.wait(), END_S)
        except TimeoutError:
            raise HostError(f"the arena is still running {END_S:.0f} s after SIGKILL") from None
        await self.close()

    def check_it_runs(self) -> None:
        """Raise HostError if the arena has ended by itself."""
        assert self._program is not None
        self._program.check_it_runs()

    async def close(self) -> None:
        await self._running.aclose()


@asynccontextmanager
async def killable_arena(folder: Path, game: str) -> AsyncIterator[KilledArena]:
    """Run an arena, for that game alone, until the end of the block."""
    config = folder / "arena.toml"
    config.write_text(f"games = ['{game}']\n")
    arena = KilledArena(folder / "data", config)
    try:
        await arena.start()
        yield arena
    finally:
        await arena.close()


async def host_key(data: Path, name: str) -> str:
    """Return the key that `bluestone arena host` prints. Raises HostError if it prints none."""
    said = await _said("host", name, data)
    if (found := KEY.search(said)) is None:
        raise HostError(f"bluestone arena host: {said[-200:]}")
    return found[1]


async def tokens(data: Path, count: int) -> list[str]:
    """Return tokens of numbered bots, from `bluestone arena token`. Raises HostError."""
    found: dict[str, str] = {f"bot-{number}": "" for number in range(1, count + 1)}

    async def get(name: str) -> None:
        found[name] = await _said("token", name, data)

    await a_few_at_once(list(found), get, at_once=PROGRAMS_AT_ONCE)
    return list(found.values())


async def _said(command: str, name: str, data: Path) -> str:
    """Return the output of `bluestone arena COMMAND NAME`.

    Raises HostError if it fails or hangs.
    """
    words = [*OURS, command, name, "--data", str(data)]
    process = await ChildProcess.start(words, stdout=PIPE, stderr=PIPE)
    try:
        said, errors = await asyncio.wait_for(process.communicate(), COMMAND_S)
    except TimeoutError:
        raise HostError(
            f"bluestone arena {command}: still running after {COMMAND_S:.0f} s"
        ) from None
    finally:
        await process.end(0)
    if process.status:
        raise HostError(f"bluestone arena {command}: {errors.decode(errors='replace')[-200:]}")
    return said.decode().strip()
