"""The bots of `bluestone up` as a program, with quick engines, on an arena with greedy guests."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.up.bundled_bots import BUNDLED_BOTS, daemon_configuration, token_file, write_secret
from tests.bot.daemon.bots import fake_engine
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.waiting import eventually

LEVELS = BUNDLED_BOTS[:2]
CROWDED, ELSEWHERE = "127.0.0.2", "127.0.0.3"
SETUP = {"board": "pent-4", "clock": {"kind": "none"}}


def write_configuration(folder: Path, url: str) -> Path:
    """The configuration of `bluestone up` for the first levels, with an engine that is quick."""
    head, *bots = daemon_configuration(folder, url).split("[[platforms]]\n")
    policy = head.partition("[engines.")[0]
    engine = f"[engines.Bluestone]\ncommand = {fake_engine('3-0')['command']}\n"
    path = folder / "bot" / "bots.toml"
    path.write_text("[[platforms]]\n".join([policy + engine, *bots[: len(LEVELS)]]))
    return path


@asynccontextmanager
async def arena_with_bots(folder: Path) -> AsyncIterator[str]:
    for bot in LEVELS:
        write_secret(token_file(folder, bot), await issue_token(folder, bot.name))
    async with running_arena(ArenaSettings(port=0, data=folder)) as url:
        config = write_configuration(folder, url)
        daemon = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "bot", "--config", str(config)),
            env=os.environ,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            yield url
        finally:
            daemon.kill()
            await daemon.wait()


def name_of(client: ArenaClient) -> str:
    return client.all_of(wire.Welcome)[-1].you.name


async def play(guest: ArenaClient, level: str) -> wire.Challenge | wire.Refusal:
    """Ask a bot for an untimed game: what became of it."""
    seats = [name_of(guest), level]
    answer = await guest.ask("challenge.create", setup=SETUP, seats=seats)
    if not answer["ok"]:
        return wire.Refusal.model_validate(answer)
    offered = answer["challenge"]["challenge_id"]
    return await guest.wait_for(
        wire.Challenge, lambda each: each.challenge_id == offered and each.state != "open"
    )


async def all_here(guest: ArenaClient) -> None:
    """Wait for the bots: a program starts slowly on a busy machine."""
    wanted = {bot.name for bot in LEVELS}
    await eventually(lambda: wanted <= {each.name for each in guest.all_of(wire.Lobby)[-1].players})


@pytest.mark.parametrize("are_gone", [False, True], ids=["connected", "closed browsers"])
async def test_six_guests_of_one_address_leave_every_level_of_real_bots_free(
    tmp_path: Path, are_gone: bool
) -> None:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(arena_with_bots(tmp_path))
        begun = Counter[str]()
        async with AsyncExitStack() as browsers:
            crowd = [await browsers.enter_async_context(connected(url, CROWDED)) for _ in range(6)]
            await all_here(crowd[0])
            for _ in range(2):  # concurrently: no request waits for another one
                wanted = [(guest, bot.name) for guest in crowd for bot in LEVELS]
                found = await asyncio.gather(*(play(*each) for each in wanted))
                for (_guest, level), became in zip(wanted, found, strict=True):
                    begun[level] += isinstance(became, wire.Challenge)
            assert min(begun.values()) >= 4
            if not are_gone:
                stack.push_async_callback(browsers.pop_all().aclose)
        seventh = await stack.enter_async_context(connected(url, ELSEWHERE))
        for bot in LEVELS:
            for _ in range(4 if are_gone else 1):
                became = await play(seventh, bot.name)
                assert isinstance(became, wire.Challenge)
                assert became.state == "started", became
