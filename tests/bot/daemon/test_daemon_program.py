"""The daemon as a program of its own: signals, settings read again, kill -9, a full disk."""

import asyncio
import json
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.bot.daemon.bots import ENVIRON, fake_engine, submitted, until_ply
from tests.fakes.arena_server import FakeArena


@pytest.fixture
async def arena() -> AsyncIterator[FakeArena]:
    async with FakeArena.running() as arena:
        yield arena


def write_config(arena: FakeArena, folder: Path, turn: str, more: str = "") -> Path:
    config = folder / "bot.toml"
    config.write_text(
        f'[daemon]\ndata = "{folder}"\n[engines.fake]\ncommand = {fake_engine(turn)["command"]}\n'
        f'[[platforms]]\nurl = "{arena.url}"\ntoken_env = "GRANITE"\nengine = "fake"\n{more}\n'
    )
    return config


Start = Callable[..., Awaitable[asyncio.subprocess.Process]]


@pytest.fixture
async def start(arena: FakeArena, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a daemon as a program of its own, whose engine plays `turn`."""
    started: list[asyncio.subprocess.Process] = []

    async def begin(
        turn: str, more: str = "", stderr: int = asyncio.subprocess.DEVNULL
    ) -> asyncio.subprocess.Process:
        config = write_config(arena, tmp_path, turn, more)
        program = [sys.executable, "-m", "bot", "bot", "--config", str(config)]
        environ = {**os.environ, **ENVIRON}
        process = await asyncio.create_subprocess_exec(*program, env=environ, stderr=stderr)
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def logged(daemon: asyncio.subprocess.Process, event: str) -> dict[str, Any]:
    """The next line of that event."""
    assert daemon.stderr is not None
    async for line in daemon.stderr:
        if (found := json.loads(line))["event"] == event:
            return dict(found)
    raise AssertionError(f"it ended without {event}")


async def test_the_first_signal_drains_and_the_second_ends(arena: FakeArena, start: Start) -> None:
    game = await arena.begin("Granite", "Basalt")
    daemon = await start("3-0", 'seek = {opponent = "Basalt"}')
    await until_ply(game, 1)
    await arena.until("challenge.create")
    daemon.send_signal(signal.SIGINT)
    await arena.until("challenge.cancel")
    assert daemon.returncode is None
    daemon.send_signal(signal.SIGTERM)
    assert await daemon.wait() == 130


async def test_sighup_applies_changeable_settings_during_games(
    arena: FakeArena,
    tmp_path: Path,
    start: Start,
) -> None:
    daemon = await start("3-0", stderr=asyncio.subprocess.PIPE)
    await arena.until_connected("Granite")
    more = 'policy = {block = ["Ann"]}\n[health]\nport = 0\n[resign]\nenabled = true'
    config = write_config(arena, tmp_path, "3-0", more)
    daemon.send_signal(signal.SIGHUP)
    read = await logged(daemon, "settings_read_again")
    assert read["applied"] == ["resign.enabled", "platforms[0].policy.block"]
    assert read["need_restart"] == ["health.port"]
    await arena.offer("Ann", ("Ann", "Granite"))
    assert (await arena.until("challenge.decline"))["code"] == "blocked"

    config.write_text("[polcy]\n")
    daemon.send_signal(signal.SIGHUP)
    refused = await logged(daemon, "settings_refused")
    assert f"{config}: polcy: unknown key; did you mean 'policy'?" in refused["problems"]
    await arena.offer("Ann", ("Ann", "Granite"))
    assert (await arena.until("challenge.decline", 2))["code"] == "blocked"


async def test_kill_9_between_choosing_and_sending_plays_the_chosen_turn(
    arena: FakeArena, start: Start
) -> None:
    game = await arena.begin("Granite", "Basalt")
    arena.faults.lose_turns = 1000
    first = await start("3-0")
    await arena.until("game.turn")
    first.kill()
    await first.wait()
    arena.faults.lose_turns = 0
    second = await start("2-3")  # what it would play if it were asked again
    await until_ply(game, 1)
    assert game.turns == ["3-0"]
    game.finish(1, "resignation")
    await arena.announce(game)
    second.send_signal(signal.SIGTERM)
    assert await second.wait() == 0
    assert submitted(arena) == {0: {"3-0"}}


async def health(port: int) -> dict[str, Any]:
    async with (
        aiohttp.ClientSession() as client,
        client.get(f"http://127.0.0.1:{port}/readyz") as answer,
    ):
        found = await answer.json()
        assert found["ready"] is (answer.status == 200)
        return dict(found)


async def until_health(port: int, condition: Callable[[dict[str, Any]], bool]) -> None:
    while True:
        with suppress(aiohttp.ClientError):
            if condition(await health(port)):
                return
        await asyncio.sleep(0.02)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")
async def test_a_full_disk_costs_no_game_and_no_turn(
    arena: FakeArena, start: Start, held_port: int
) -> None:
    port = held_port
    games = [await arena.begin("Granite", "Basalt") for _ in range(2)]
    seek = f"""seek = {{opponent = "Basalt", board = "pent-4", at_once = 2}}
    [health]
    port = {port}"""
    daemon = await start("3-0", seek)
    await until_health(port, lambda now: now["ready"])
    for game in games:
        await until_ply(game, 1)
    unlimited = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (1, unlimited[1]))
    for game in games:
        await arena.play(game, "3-2,3-7")
    await until_health(port, lambda now: any("journal" in each for each in now["problems"]))
    assert [len(game.turns) for game in games] == [2, 2], "what is not written down is not sent"
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, unlimited)
    for game in games:
        await until_ply(game, 3)
    await until_health(port, lambda now: now["ready"])
    assert arena.asked("challenge.create") == [], "two were wanted, and two are running"
    assert arena.connections["Granite"] == 1
