"""For each alert of bots, the fault that it is for; see `tests.lab.alert_faults`."""

import asyncio
import dataclasses
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

import aiohttp

from bot.arena.operator.desk import open_desk
from bot.arena.store.orders import PROGRAM
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.bench.clients.frames import Json, Refused
from bot.rehearsal.game import GameState
from tests.chaos import daemon
from tests.chaos.daemon import BotTerms
from tests.chaos.faults import full_disk, locked
from tests.chaos.scene import Scene, background
from tests.chaos.site import SiteTerms

STEPS: Final = "reconnect_after_s = 2\nrestart_after_s = 4\nalarm_after_s = 6"
IMPATIENT: Final = BotTerms(answer_s=2, silence_s=2, more=STEPS)
IMPATIENT_WITH_SITE: Final = SiteTerms(answer_s=2, more=STEPS)
"""The bot reconnects, and restarts, before `BluestoneBotPlatformSilent` fires."""
HASTY: Final[Json] = {"board": "pent-5", "clock": {"kind": "per_turn", "turn_s": 1}}
"""A clock on which every turn is played on the last second."""
CHALLENGERS: Final = 2
LOCK_S: Final = 2.0
KILL_S: Final = 0.05
ASK_S: Final = 0.5


@asynccontextmanager
async def stopped_arena(scene: Scene) -> AsyncIterator[None]:
    """The server's machine still answers for it: connections open, and nothing comes."""
    os.kill(scene.arena.pid, signal.SIGSTOP)
    yield
    os.kill(scene.arena.pid, signal.SIGCONT)


@asynccontextmanager
async def stopped_site(scene: Scene) -> AsyncIterator[None]:
    os.kill(scene.the_site.connections.pid, signal.SIGSTOP)
    yield
    os.kill(scene.the_site.connections.pid, signal.SIGCONT)


@asynccontextmanager
async def replaced_token(scene: Scene) -> AsyncIterator[None]:
    """A token is replaced at once, and the file gets the new one at the end."""
    async with open_desk(scene.data, PROGRAM) as desk:
        rotation = await desk.rotate(daemon.NAME, timedelta())
    yield
    (scene.the_bot.data.parent / "token").write_text(rotation.secret)


@asynccontextmanager
async def undelivered_turn(scene: Scene) -> AsyncIterator[None]:
    """The arena cannot write when the bot has a turn to submit."""
    while True:
        with locked(scene.data / DATABASE):
            await asyncio.sleep(LOCK_S)
            if await _open_work(scene):
                yield
                return
        await asyncio.sleep(ASK_S)


async def _open_work(scene: Scene) -> bool:
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"{scene.the_bot.health}/readyz") as answer,
    ):
        return any(each["for_s"] > LOCK_S / 2 for each in (await answer.json())["work"])


@asynccontextmanager
async def full_bot_disk(scene: Scene) -> AsyncIterator[None]:
    with full_disk(scene.the_bot.pid):
        yield


@asynccontextmanager
async def broken_engine(scene: Scene) -> AsyncIterator[None]:
    """Processes of the engine die, and new ones fail at their start."""
    fifo = scene.the_bot.engines.fifo
    aside = fifo.with_name("aside")
    fifo.rename(aside)
    fifo.mkdir()
    await _kill_engines(scene)
    yield
    fifo.rmdir()
    aside.rename(fifo)


@asynccontextmanager
async def dying_engines(scene: Scene) -> AsyncIterator[None]:
    async def kill_on() -> None:
        while True:
            await _kill_engines(scene)
            await asyncio.sleep(KILL_S)

    async with background() as start:
        start(kill_on())
        yield


async def _kill_engines(scene: Scene) -> None:
    """Kill engines, but not their guardians, which end the engines' children."""
    for pid, command in scene.marked.all().items():
        if "stubborn_engine" in command and "guardian.py" not in command:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@asynccontextmanager
async def hasty_games(scene: Scene) -> AsyncIterator[None]:
    """Players challenge the bot to games with a second per turn."""

    async def challenge() -> None:
        seats = [scene.players[0].name, daemon.NAME]
        while True:
            with suppress(Refused):
                await scene.players[0].ask("challenge.create", setup=HASTY, seats=seats)
            await asyncio.sleep(ASK_S)

    async with background() as start:
        start(challenge())
        yield


@asynccontextmanager
async def unknown_variant(scene: Scene) -> AsyncIterator[None]:
    """The platform shows a running game with a variant that the bot does not know."""
    site = scene.the_site
    while True:
        games = [each for each in site.world.site.running() if each.mover is not None]
        if games:
            break
        await asyncio.sleep(ASK_S)
    game = games[0]
    known = game.now.terms
    site.stand_in.freeze()

    def show(variants: tuple[str, ...]) -> None:
        def with_them(state: GameState) -> GameState:
            return dataclasses.replace(
                state, terms=dataclasses.replace(state.terms, variants=variants)
            )

        game.now, game.before = with_them(game.now), with_them(game.before)

    show(("hexagonal",))
    yield
    show(known.variants)
