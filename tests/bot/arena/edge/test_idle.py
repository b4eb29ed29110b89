"""An arena in which nothing happens is hardly ever woken, whoever is connected."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from yarl import URL

from bot.arena import stores
from bot.runtime.kernels import compiled_behind
from engine.warming import all_parts
from tests.bot.arena.table import table
from tests.fakes.time import FakeTime

pytestmark = pytest.mark.real_time  # a simulated day has 3,000 pings of each connection

MINUTE_S, DAY_S = 60.0, 24 * 3600.0
UNTIMED = {"kind": "none"}


class CountedTime(FakeTime):
    """Counts how often anybody goes to sleep."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeps = 0

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        await super().sleep(seconds)

    async def sleeps_of_a_day(self) -> int:
        """After a minute for what had just begun."""
        await self.advance(MINUTE_S)
        before = self.sleeps
        await self.advance(DAY_S)
        return self.sleeps - before


ONCE_A_MINUTE = DAY_S / MINUTE_S
"""Whatever sleeps for long looks up once an hour; what looks for work does so every second."""


async def test_players_at_an_untimed_game_do_not_keep_it_awake(tmp_path: Path) -> None:
    time = CountedTime()
    async with table(tmp_path, time, clock=UNTIMED):
        assert await time.sleeps_of_a_day() < ONCE_A_MINUTE


async def test_a_socket_without_a_login_does_not_keep_the_arena_busy(tmp_path: Path) -> None:
    time = CountedTime()
    async with table(tmp_path, time, clock=UNTIMED) as t:
        address = URL(t.url)
        reader, writer = await asyncio.open_connection(address.host, address.port)
        writer.write(
            b"GET /socket.io/?transport=websocket&EIO=4 HTTP/1.1\r\nHost: localhost\r\n"
            b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
        )
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        assert await time.sleeps_of_a_day() < ONCE_A_MINUTE
        writer.close()


async def test_a_slow_compiler_does_not_keep_the_arena_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is another program, so it takes none of the time that a test turns."""

    async def endless(_: Sequence[str]) -> str | None:
        never: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        return await never

    others = tuple(part for part in all_parts() if part.game != "bluestone")
    compiling = partial(compiled_behind, missing=lambda: others, compile_all=endless)
    monkeypatch.setattr(stores, "compiled_behind", compiling)
    time = CountedTime()
    async with table(tmp_path, time, clock=UNTIMED):
        assert await time.sleeps_of_a_day() < ONCE_A_MINUTE
