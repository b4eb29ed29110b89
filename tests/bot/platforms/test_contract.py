"""What `Platform.run` promises, of each platform: two errors, never in a group."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.errors import HostError, RefusedByServer
from bot.guests.abstract_play.client import ClientOptions
from bot.guests.abstract_play.platform import STORE, Options, opened
from bot.guests.abstract_play.stages import KEY_PAGE, PUBLISHED_KEY
from bot.guests.hexo_arena.platform import HexoArenaPlatform
from bot.guests.hexo_arena.streaming import STORE as HEXO_STORE
from bot.platforms.arena.link import ArenaOptions
from bot.platforms.arena.platform import ArenaPlatform
from bot.platforms.base import Connected, Platform, PlatformEvent
from bot.runtime.listening import bound
from bot.time_source import SystemTime
from tests.bot.guests.abstract_play.bench import Bench, Site
from tests.bot.guests.hexo_arena.fake_server import TOKEN, FakeServer
from tests.bot.guests.hexo_arena.test_platform import options as hexo_options
from tests.fakes.arena_server import FakeArena
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


async def ignore(_: PlatformEvent) -> None:
    return


@asynccontextmanager
async def on_arena(folder: Path, *, refused: bool) -> AsyncIterator[Platform]:
    del folder
    token = SecretStr("wrong" if refused else "granite-token")
    async with FakeArena.running() as arena:
        options = ArenaOptions(url=arena.url, token=token, first_wait_s=0.01)
        yield ArenaPlatform(options, SystemTime(), random.Random(1))


@asynccontextmanager
async def on_abstract_play(folder: Path, *, refused: bool) -> AsyncIterator[Platform]:
    site = Site()
    if refused:
        site.refusal = RefusedByServer("invalid_client", "the platform issues no token")
    yield Bench(site, folder, FakeTime()).platform


@asynccontextmanager
async def on_hexo_arena(folder: Path, *, refused: bool) -> AsyncIterator[Platform]:
    async with FakeServer.running() as server:
        token = SecretStr("wrong" if refused else TOKEN)
        yield HexoArenaPlatform(
            hexo_options(server.url, token=token), folder, SystemTime(), random.Random(1)
        )


PlatformOn = Callable[..., AbstractAsyncContextManager[Platform]]
PLATFORMS = pytest.mark.parametrize("platform_on", [on_arena, on_abstract_play, on_hexo_arena])


@PLATFORMS
async def test_a_refused_account_has_its_own_error(platform_on: PlatformOn, tmp_path: Path) -> None:
    async with platform_on(tmp_path, refused=True) as platform:
        with pytest.raises(RefusedByServer):
            await platform.run(ignore)


@PLATFORMS
async def test_an_error_of_the_sink_does_not_end_the_run(
    platform_on: PlatformOn, tmp_path: Path
) -> None:
    told: list[PlatformEvent] = []

    async def sink(event: PlatformEvent) -> None:
        told.append(event)
        raise HostError("the journal cannot be written: disk full")

    async with platform_on(tmp_path, refused=False) as platform:
        running = asyncio.create_task(platform.run(sink))
        try:
            await eventually(lambda: any(isinstance(each, Connected) for each in told))
            await asyncio.wait({running}, timeout=0.05)
            assert not running.done()
        finally:
            running.cancel()
            await asyncio.wait({running})


def abstract_play(folder: Path, port: int) -> Platform:
    client = ClientOptions(
        base="http://127.0.0.1:9/",
        token_url="http://127.0.0.1:9/token",
        scope="test",
        client_id="bot-1",
        secret=SecretStr("x"),
    )
    options = Options(
        client=client,
        server="test",
        key_url=KEY_PAGE,
        public_key=PUBLISHED_KEY,
        listen_host="127.0.0.1",
        listen_port=port,
        sweep_s=300,
    )
    return opened(options, folder, SystemTime(), random.Random(1))


async def test_a_port_in_use_has_its_own_error(tmp_path: Path) -> None:
    with bound("127.0.0.1", 0) as taken:
        platform = abstract_play(tmp_path, taken.getsockname()[1])
        with pytest.raises(HostError, match=r"listen_port: .* is in use"):
            await platform.run(ignore)


async def test_a_store_that_cannot_be_opened_has_its_own_error(tmp_path: Path) -> None:
    (tmp_path / HEXO_STORE).mkdir()
    async with on_hexo_arena(tmp_path, refused=False) as platform:
        with pytest.raises(HostError, match="store of HeXO-Arena cannot be opened"):
            await platform.run(ignore)


async def test_a_file_that_cannot_be_opened_has_its_own_error(tmp_path: Path) -> None:
    (tmp_path / STORE).mkdir()
    with pytest.raises(HostError, match="store of Abstract Play cannot be opened"):
        await abstract_play(tmp_path, 0).run(ignore)
