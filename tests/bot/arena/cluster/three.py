"""An arena of three processes on one PostgreSQL database, all within this one."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from tests.fakes.arena_client import ArenaClient, connected

QUICK: dict[str, Any] = {"link": "127.0.0.1:0", "lease_s": 20.0, "renew_s": 0.5}
"""A long lease: processes within one Python process hold each other up."""


@dataclass
class Three:
    """The addresses of the processes, and what ends each of them."""

    folder: Path
    url: str
    stack: AsyncExitStack
    bus: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)
    ends: list[AsyncExitStack] = field(default_factory=list)

    async def start(self, **changes: Any) -> str:
        """Start another process; its address."""
        number = len(self.addresses)
        settings = ArenaSettings(
            port=0,
            data=self.folder / f"process-{number}",
            database=self.url,
            cluster={**QUICK, "bus": self.bus},
            **{**self.changes, **changes},
        )
        end = await self.stack.enter_async_context(AsyncExitStack())
        arena = running_arena(settings, rng=random.Random(number))
        self.addresses.append(await end.enter_async_context(arena))
        self.ends.append(end)
        return self.addresses[-1]

    async def stop(self, number: int) -> None:
        """Stop a process in order."""
        await self.ends[number].aclose()

    async def player(self, number: int, **auth: Any) -> ArenaClient:
        """A connection to a process."""
        return await self.stack.enter_async_context(connected(self.addresses[number], **auth))


@asynccontextmanager
async def three(
    folder: Path, url: str, count: int = 3, bus: str = "", **changes: Any
) -> AsyncIterator[Three]:
    """So many processes, which know each other."""
    async with AsyncExitStack() as stack:
        made = Three(folder, url, stack, bus, changes)
        for _ in range(count):
            await made.start()
        yield made
