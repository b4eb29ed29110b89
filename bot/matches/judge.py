"""What the host itself thinks of a position: a short search by an engine of ours."""

import asyncio
from typing import Final

import engine
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure, HostError
from bot.time_source import TimeSource

PATIENCE_MS: Final = 600_000
JUDGE: Final = EngineSpec(name="judge", options={"Threads": "1", "Seed": "1", "Hash": "64"})
NODES: Final = 5_000


class Judge:
    """One process for all who ask, started for the first of them. The same question has the same
    answer: the number of nodes is fixed, and nothing is remembered from the one before.
    """

    def __init__(self, time: TimeSource, nodes: int = NODES, spec: EngineSpec = JUDGE) -> None:
        self._time = time
        self._spec = spec
        self._budget = Budget(PATIENCE_MS, PATIENCE_MS, f"nodes {nodes}")
        self._process: EngineProcess | None = None
        self._turn = asyncio.Lock()

    async def chance(self, position: engine.Position) -> float:
        """The first player's chance to win, 0 to 1. Raises HostError."""
        if position.over:
            return {1: 1.0, 2: 0.0}.get(position.winner or 0, 0.5)
        async with self._turn:
            try:
                own = await self._search(position)
            except EngineFailure as error:
                await self.close()
                raise HostError(f"the host's own engine fails: {error.message}") from error
        return own if position.to_play == 1 else 1 - own

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _search(self, position: engine.Position) -> float:
        """The chance of the player to move."""
        if self._process is None or not self._process.alive:
            self._process = await EngineProcess.start(self._spec, self._time)
        await self._process.set_up(position.game)
        reply = await self._process.think(position, self._budget)
        return 0.5 if reply.info.winrate is None else reply.info.winrate
