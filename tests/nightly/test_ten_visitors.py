"""Ten visitors at once against the strongest bots of `bluestone up`, with real engines."""

import asyncio
import json
import os
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import aiohttp
import pytest

import engine
from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.daemon.time_manager import LONGEST_LIVE_MS
from bot.up.bundled_bots import BUNDLED_BOTS, daemon_configuration, token_file, write_secret
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.waiting import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

VISITORS: Final = 10
TURNS: Final = 4
"""How many turns each visitor waits for."""
CHAMPION: Final = BUNDLED_BOTS[-1].name
SETUP: Final = {"board": "pent-6", "clock": {"kind": "fischer", "initial_s": 120, "increment_s": 3}}
SLACK_S: Final = 10
"""For a machine that is busy with other work."""


@asynccontextmanager
async def champions(folder: Path) -> AsyncIterator[str]:
    """An arena with the bots of `bluestone up` on a machine of two cores; its address."""
    for bot in BUNDLED_BOTS:
        write_secret(token_file(folder, bot), await issue_token(folder, bot.name))
    async with running_arena(ArenaSettings(port=0, data=folder)) as url:
        text = daemon_configuration(folder, url)
        config = folder / "bot" / "bots.toml"
        config.write_text(re.sub(r"(?m)^processes = \d+$", "processes = 2", text))
        with (folder / "bot.log").open("w") as log:
            daemon = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "bot", "--config", str(config)),
                env=os.environ,
                stderr=log,
            )
            try:
                yield url
            finally:
                daemon.terminate()
                await daemon.wait()


async def begin(visitor: ArenaClient) -> wire.GameState:
    """Challenge the champion, or the bot that it names instead; the bot begins."""
    became = await challenge(visitor, CHAMPION)
    while became.game_id is None:
        assert became.instead is not None, became
        became = await challenge(visitor, became.instead)
    return await visitor.game(became.game_id)


async def challenge(visitor: ArenaClient, level: str) -> wire.Challenge:
    """The challenge once the bot has answered."""
    you = visitor.all_of(wire.Welcome)[-1].you.name
    offered = await visitor.do("challenge.create", setup=SETUP, seats=[level, you])
    key = offered.challenge.challenge_id
    return await visitor.wait_for(
        wire.Challenge, lambda each: each.challenge_id == key and each.state != "open"
    )


async def play(visitor: ArenaClient) -> wire.GameState:
    """Play the first legal turn each time, then resign; the game as it was."""
    game = await begin(visitor)
    chosen = game.setup
    rules = engine.game(chosen.game, chosen.board, chosen.rules)
    for ply in range(1, 2 * TURNS, 2):
        await until_played(visitor, ply)
        position = rules.replay([each.turn for each in latest(visitor).turns])
        turn = next(iter(position.legal_turns()))
        await visitor.do("game.turn", game_id=game.game_id, ply=ply, turn=turn)
    last = await visitor.do("game.action", game_id=game.game_id, action="resign")
    state: wire.GameState = last.game
    return state


async def until_played(visitor: ArenaClient, plies: int) -> None:
    async with asyncio.timeout(120):
        await eventually(lambda: len(latest(visitor).turns) >= plies)


def latest(visitor: ArenaClient) -> wire.GameState:
    return visitor.all_of(wire.GameState)[-1]


async def metrics_of(log: str) -> str:
    """The metrics of the daemon that has written this log."""
    events = [json.loads(line) for line in log.splitlines()]
    (address,) = next(each["addresses"] for each in events if each["event"] == "health")
    async with aiohttp.ClientSession() as http, http.get(f"{address}/metrics") as answer:
        return await answer.text()


async def test_every_visitor_gets_turns_of_the_engine_in_time(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(champions(tmp_path))
        visitors = [
            await stack.enter_async_context(connected(url, f"127.0.0.{20 + number}"))
            for number in range(VISITORS)
        ]
        wanted = {bot.name for bot in BUNDLED_BOTS}
        here = visitors[0]
        await eventually(
            lambda: wanted <= {each.name for each in here.all_of(wire.Lobby)[-1].players}
        )
        games = await asyncio.gather(*map(play, visitors))
        metrics = await metrics_of((tmp_path / "bot.log").read_text())
        queues = [queue for each in visitors for queue in each.all_of(wire.Queue)]
    answers = [turn for game in games for turn in game.turns[::2]]
    assert {game.result.reason for game in games if game.result} == {"resignation"}
    assert Counter(turn.info.source for turn in answers if turn.info) == {
        "engine": TURNS * VISITORS
    }
    assert max(turn.time_ms for turn in answers) < LONGEST_LIVE_MS + 1000 * SLACK_S
    assert any(queue.before > 0 for queue in queues), "nobody heard why the bot waited"
    counts = re.findall(r"(?m)^bluestone_bot_fallback_turns_total\{.*\} (\S+)$", metrics)
    assert {float(count) for count in counts} == {0.0}, counts
