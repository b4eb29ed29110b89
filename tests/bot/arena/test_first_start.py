"""An arena that opens while games are still being compiled."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot import wire
from bot.arena import stores
from bot.arena.server import running_arena, serve
from bot.runtime.kernels import Kernels
from engine.warming import all_parts
from tests.bot.arena.table import settings, setup
from tests.fakes.arena_client import connected
from tests.fakes.waiting import eventually

BLOOMS = setup(game="blooms", board="hexhex-4")


async def test_people_can_play_compiled_games_and_are_told_about_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = Kernels([part for part in all_parts() if part.game != "bluestone"])

    @asynccontextmanager
    async def compiled_behind(first: Sequence[str]) -> AsyncIterator[Kernels]:
        assert first == ["bluestone", "blooms", "stargazers", "hexo", "freego"]
        yield kernels

    monkeypatch.setattr(stores, "compiled_behind", compiled_behind)
    async with (
        running_arena(settings(tmp_path)) as url,
        connected(url, name="Anna") as anna,
    ):
        lobby = await anna.wait_for(wire.Lobby)
        assert [each.game for each in lobby.warming] == ["blooms", "stargazers", "hexo", "freego"]
        await anna.do("challenge.create", setup=setup(), seats=["Anna", None])
        code = await anna.refused("challenge.create", setup=BLOOMS, seats=["Anna", None])
        assert code == "unavailable"
        kernels.now_missing(())
        await anna.wait_for(wire.Lobby, lambda now: now.warming == [])
        await anna.do("challenge.create", setup=BLOOMS, seats=["Anna", None])


async def test_it_can_be_stopped_while_it_waits_for_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    @asynccontextmanager
    async def compiled_behind(first: Sequence[str]) -> AsyncIterator[Kernels]:
        told.append("opened")
        try:
            yield Kernels([part for part in all_parts() if part.game in first])
        finally:
            told.append("closed")

    monkeypatch.setattr(stores, "compiled_behind", compiled_behind)
    stop = asyncio.Event()
    serving = asyncio.create_task(serve(settings(tmp_path), stop, told.append))
    await eventually(lambda: told == ["opened"])
    stop.set()
    await serving
    assert told == ["opened", "closed"]
