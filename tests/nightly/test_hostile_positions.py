"""Strangers do not fill the memory of an arena, whatever they ask for."""

import asyncio
import sys
from typing import Final

import pytest

from bot import wire
from bot.bench.arena_load import arena_under_load
from bot.bench.clients.frames import FrameConnection, RequestRefused
from bot.bench.clients.sources import open_sources
from bot.bench.processes import Program
from tests.fakes.cgroup import memory_limit
from tests.large_positions import spread_hexo

LIMIT_BYTES: Final = 2_000_000_000
"""What the shipped unit and compose file allow."""
CONNECTIONS: Final = 6
MESSAGES: Final = 180
MOST_GROWTH_MB: Final = 500
OURS: Final = (sys.executable, "-m", "bot", "arena")


@pytest.mark.e2e
@pytest.mark.timeout(600)
async def test_positions_without_an_edge_do_not_get_the_arena_killed() -> None:
    with memory_limit(LIMIT_BYTES) as limit:
        async with arena_under_load(limit.around(OURS), {}) as arena, open_sources() as sources:
            asked = [
                await FrameConnection.open(
                    sources.session("127.0.0.1"), arena.address, {"v": wire.VERSION}, _ignore
                )
                for _ in range(CONNECTIONS)
            ]
            await _ask(asked[0], 0)
            before = _resident_mb(arena)
            share = MESSAGES // CONNECTIONS
            await asyncio.gather(
                *(
                    _ask_all(each, range(number * share, (number + 1) * share))
                    for number, each in enumerate(asked)
                )
            )
            arena.check_it_runs()
            assert limit.killed == 0
            assert _resident_mb(arena) < before + MOST_GROWTH_MB
            for each in asked:
                await each.close()


async def _ask_all(connection: FrameConnection, numbers: range) -> None:
    for number in numbers:
        await _ask(connection, number)


async def _ask(connection: FrameConnection, number: int) -> None:
    message = {"v": wire.VERSION, "setup": {"game": "hexo"}, "turns": spread_hexo(200, number)}
    while True:
        try:
            await connection.ask("analysis.legal", message)
        except RequestRefused as refused:
            if refused.code not in {"rate_limited", "unavailable"}:
                raise
            await asyncio.sleep(refused.retry_after_s or 0.2)
        else:
            return


def _resident_mb(arena: Program) -> float:
    usage = arena.usage()
    assert usage is not None
    return usage.memory_mb


def _ignore(_text: str, _moment: float) -> None:
    """Events that nobody waits for."""
