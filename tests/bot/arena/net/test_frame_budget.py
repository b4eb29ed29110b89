"""What one connection sends keeps nobody else waiting."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from bot.arena.net.frame_budget import IN_A_ROW, FrameBudget, Pace
from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.fakes.arena_client import connected


async def test_others_have_a_turn_between_the_frames_of_a_burst() -> None:
    budget, turns = FrameBudget(Pace(per_s=1, burst=10 * IN_A_ROW)), 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    for _ in range(10 * IN_A_ROW):
        await budget.take()
    task.cancel()
    assert turns >= 9


async def test_what_comes_too_fast_waits_for_its_time() -> None:
    budget, loop = FrameBudget(Pace(per_s=50, burst=5)), asyncio.get_running_loop()
    began = loop.time()
    for _ in range(10):
        await budget.take()
    assert loop.time() - began >= 5 / 50 - 0.001


@pytest.mark.parametrize("frame", ["3", "6", "41/foo,", '42["state",{"v":1}]', '421["x",{}]', ""])
async def test_a_flood_before_the_login_is_hardly_read(tmp_path: Path, frame: str) -> None:
    """Thousands of frames are not handled: the answer to the login behind them does not come."""
    address = "/socket.io/?EIO=4&transport=websocket"
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession(url) as http,
        http.ws_connect(address, timeout=aiohttp.ClientWSTimeout(ws_close=0.1)) as socket,
    ):
        await socket.receive(timeout=20)
        for _ in range(2000):
            await (socket.ping() if frame == "" else socket.send_str(frame))
        await socket.send_str('40{"v":1}')
        async with connected(url) as honest:
            assert (await honest.ask("state"))["ok"]
        heard = [each for each in _waiting(socket) if "sid" in each]
        assert heard == []


def _waiting(socket: aiohttp.ClientWebSocketResponse) -> list[str]:
    """What has come and was not looked at."""
    return [str(message.data) for message, _ in socket._reader._buffer]
