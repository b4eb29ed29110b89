"""A real arena in the process of the test, which starts in a fraction of a program's time."""

from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import load_settings
from tests.fakes.ports import HeldPort


class LocalArena:
    """The arena on a data folder; keeps its port when a test stops it and starts it again."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.address = ""
        self._port = HeldPort()
        self._running = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()
        self._port.close()

    async def start(self) -> None:
        """Start it; people can play when this returns."""
        settings = load_settings(None, port=self._port.number, data=self.data)
        self.address = await self._running.enter_async_context(running_arena(settings))

    async def stop(self) -> None:
        """Stop it in an orderly way: players are disconnected."""
        await self._running.aclose()

    async def token(self, name: str) -> str:
        """Return a bot's token."""
        return await issue_token(self.data, name)
