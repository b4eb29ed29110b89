"""Engines that think all the time, as they do beside everything else in a bot."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import engine
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.time_source import SystemTime

BUDGET = Budget(think_ms=10_000, hard_ms=60_000, go="movetime 10000")


@asynccontextmanager
async def thinking(count: int, game: engine.Game) -> AsyncIterator[None]:
    """So many processes of the built-in engine search until the end of the block.

    Raises EngineFailure if one of them stops.
    """
    async with AsyncExitStack() as stack:
        for _ in range(count):
            await stack.enter_async_context(_one_that_thinks(game))
        yield


@asynccontextmanager
async def _one_that_thinks(game: engine.Game) -> AsyncIterator[None]:
    process = await EngineProcess.start(EngineSpec(), SystemTime())
    try:
        await process.set_up(game)
        searching = asyncio.create_task(_go_on_thinking(process, game.start()))
        try:
            yield
            if searching.done():
                searching.result()
        finally:
            searching.cancel()
            await asyncio.wait({searching})
    finally:
        await process.kill()


async def _go_on_thinking(process: EngineProcess, position: engine.Position) -> None:
    while True:
        await process.think(position, BUDGET)
