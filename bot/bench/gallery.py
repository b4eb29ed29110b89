"""The spectators of a load test, who are always at the game that is watched."""

import asyncio
import time
from typing import Final

from bot.bench.clients.frames import Json
from bot.bench.clients.process.process import Clients
from bot.bench.clients.roles import Plan
from bot.bench.meter import until

SETTLE_S: Final = 1.0
"""For a turn of the last moment to reach the last spectator."""


class Gallery:
    """Spectators in one client process; close it when they are no longer needed."""

    def __init__(self, process: Clients, plan: Plan) -> None:
        self._process = process
        self._plan = plan
        self._watched: asyncio.Queue[str] = asyncio.Queue()
        self._following: asyncio.Task[None] | None = None
        self._coming_s: float | None = None

    def watch(self, game_id: str) -> None:
        """Follow this game from now on."""
        self._watched.put_nowait(game_id)

    async def connect(self) -> None:
        """Raises PeerError or HostError."""
        await self._process.connect(self._plan)

    async def follow(self) -> None:
        """Wait until all of them follow the game; then they go from game to game."""
        await self._follow_next()
        self._following = asyncio.create_task(self._follow_on())

    async def come_at(self, moment: float) -> None:
        """Connect and follow from that moment on, and take the time."""
        await until(moment)
        await self.connect()
        await self.follow()
        self._coming_s = round(time.monotonic() - moment, 2)

    async def report(self) -> Json:
        """What they saw since the last report."""
        if self._following is not None and self._following.done():
            self._following.result()
        await asyncio.sleep(SETTLE_S)
        report: Json = await self._process.ask({"do": "report"})
        return {**report, "coming_s": self._coming_s}

    def close(self) -> None:
        if self._following is not None:
            self._following.cancel()

    async def _follow_on(self) -> None:
        while True:
            await self._follow_next()

    async def _follow_next(self) -> None:
        game_id = await self._watched.get()
        while not self._watched.empty():
            game_id = self._watched.get_nowait()
        await self._process.ask({"do": "follow", "game_id": game_id})
