"""`bluestone arena` and `bluestone bot` under a service manager that watches them."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.bot.daemon.bots import ENVIRON, fake_engine
from tests.fakes.arena_client import connected
from tests.fakes.arena_server import FakeArena
from tests.fakes.hanging_program import HANGS
from tests.fakes.service_manager import FakeServiceManager, service_manager
from tests.fakes.waiting import eventually

WATCHDOG_S = 0.4
PIPE = asyncio.subprocess.PIPE
Program = asyncio.subprocess.Process
Start = Callable[..., Awaitable[Program]]


@pytest.fixture
async def systemd(tmp_path: Path) -> AsyncIterator[FakeServiceManager]:
    with service_manager(tmp_path / "notify") as found:
        yield found


@pytest.fixture
async def start(systemd: FakeServiceManager) -> AsyncIterator[Start]:
    """Starts a program that can be made to hang."""
    started: list[Program] = []

    async def begin(*words: str) -> Program:
        program = [sys.executable, "-m", "tests.fakes.hanging_program", *words]
        environ = {**os.environ, **ENVIRON, **systemd.environ(WATCHDOG_S)}
        begun = await asyncio.create_subprocess_exec(
            *program, env=environ, stdout=PIPE, stderr=PIPE
        )
        started.append(begun)
        return begun

    yield begin
    for program in started:
        if program.returncode is None:
            program.kill()
        await program.communicate()


@pytest.fixture
async def arena(start: Start, tmp_path: Path) -> Program:
    return await start("arena", "--port", "0", "--data", str(tmp_path))


@pytest.fixture
async def server() -> AsyncIterator[FakeArena]:
    async with FakeArena.running() as arena:
        yield arena


@pytest.fixture
async def bot(start: Start, server: FakeArena, tmp_path: Path) -> Program:
    config = tmp_path / "bot.toml"
    config.write_text(
        f'[daemon]\ndata = "{tmp_path}"\n[engines.fake]\ncommand = {fake_engine()["command"]}\n'
        f'[[platforms]]\nurl = "{server.url}"\ntoken_env = "GRANITE"\nengine = "fake"\n'
    )
    return await start("bot", "--config", str(config))


async def address(arena: Program) -> str:
    assert arena.stdout is not None
    return (await arena.stdout.readline()).decode().strip()


async def logged(program: Program, event: str) -> None:
    assert program.stderr is not None
    async for line in program.stderr:
        if line.startswith(b"{") and json.loads(line)["event"] == event:
            return
    raise AssertionError(f"it ended without {event}")


async def until_silent(program: Program, systemd: FakeServiceManager) -> None:
    """Two looks of the watchdog at a hanging thread, with no sign of life between them."""
    await logged(program, "thread_hangs")
    before = systemd.beats()
    await logged(program, "thread_hangs")
    assert systemd.beats() == before


async def check_that_it_lives_reloads_and_stops(
    program: Program, systemd: FakeServiceManager
) -> None:
    assert systemd.lines[0] == "READY=1"
    await systemd.beat()
    program.send_signal(signal.SIGHUP)
    await systemd.until("RELOADING=1")
    await eventually(lambda: systemd.lines.count("READY=1") == 2)
    program.terminate()
    await systemd.until("STOPPING=1")
    assert await program.wait() == 0


async def test_an_arena_says_that_it_is_ready_alive_reloading_and_stopping(
    arena: Program, systemd: FakeServiceManager
) -> None:
    await systemd.until("STATUS=0 games, 0 connections")
    assert await address(arena)
    await check_that_it_lives_reloads_and_stops(arena, systemd)


async def test_a_bot_says_that_it_is_ready_alive_reloading_and_stopping(
    bot: Program, server: FakeArena, systemd: FakeServiceManager
) -> None:
    await systemd.status(lambda line: "0 alarms" in line)
    await server.until_connected("Granite")
    await check_that_it_lives_reloads_and_stops(bot, systemd)


async def check_that_a_hanging_loop_is_silent(
    program: Program, systemd: FakeServiceManager
) -> None:
    await systemd.beat()
    program.send_signal(signal.SIGUSR1)
    assert program.stderr is not None
    async for line in program.stderr:
        if line == HANGS:
            break
    await asyncio.sleep(0)  # what was sent before is received now
    before = systemd.beats()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(systemd.beat(), 3 * WATCHDOG_S)
    assert systemd.beats() == before


async def test_an_arena_whose_event_loop_hangs_shows_no_sign_of_life(
    arena: Program, systemd: FakeServiceManager
) -> None:
    await check_that_a_hanging_loop_is_silent(arena, systemd)


async def test_a_bot_whose_event_loop_hangs_shows_no_sign_of_life(
    bot: Program, systemd: FakeServiceManager
) -> None:
    await check_that_a_hanging_loop_is_silent(bot, systemd)


@pytest.mark.nightly
async def test_an_arena_whose_writer_hangs_shows_no_sign_of_life(
    arena: Program, systemd: FakeServiceManager
) -> None:
    url = await address(arena)
    await systemd.beat()
    arena.send_signal(signal.SIGUSR2)
    login = asyncio.create_task(connected(url, name="Anna").__aenter__())
    try:
        await until_silent(arena, systemd)
    finally:
        login.cancel()
        await asyncio.wait({login})


@pytest.mark.nightly
async def test_a_bot_whose_journal_hangs_shows_no_sign_of_life(
    bot: Program, server: FakeArena, systemd: FakeServiceManager
) -> None:
    await server.until_connected("Granite")
    await systemd.beat()
    bot.send_signal(signal.SIGUSR2)
    await server.begin("Granite", "Basalt")
    await until_silent(bot, systemd)
