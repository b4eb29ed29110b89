"""The faults that are injected into a running scene.

Each returns the moment from which recovery counts.
"""

import asyncio
import os
import resource
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import aiohttp

from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from tests.chaos import daemon, evidence
from tests.chaos.ledger import Json
from tests.chaos.scene import TURN_S, Scene
from tests.chaos.stepped_arena import STEP_FILE, step_in

STOP_S: Final = 8.0
"""Longer than every limit of `SHORT_TERMS`."""
TROUBLE_S: Final = TURN_S + 1.0
"""Longer than any player may think about a turn."""
BOT_TROUBLE_S: Final = 2.0
SITE_DOWN_S: Final = 1.0
CUTTING_S: Final = 2.0
CUT_AFTER_BYTES: Final = 15_000
LINES_IN_TROUBLE: Final = 20
HEALTH_S: Final = 5.0
ANOTHER_KILL: Final = 0.25
STARTING_S: Final = 3.0
HOUR_S: Final = 3600
SOON_S: Final = 4.0
NOTICED: Final = "store_cannot_write"


async def kill_arena(scene: Scene) -> float:
    """Send SIGKILL to the arena, sometimes again while it starts."""
    began = time.monotonic()
    await scene.arena.kill()
    while scene.rng.random() < ANOTHER_KILL:
        await scene.arena.spawn("--port", str(scene.proxy.port))
        await asyncio.sleep(scene.rng.uniform(0, STARTING_S))
        await scene.arena.kill()
    await scene.start_arena()
    return began


async def kill_bot(scene: Scene) -> float:
    """Send SIGKILL to the daemon. No engine may outlive it, nor a child of one."""
    began = time.monotonic()
    await scene.the_bot.kill()
    if not await scene.the_bot.engines.all_gone():
        scene.ledger.problems.append("an engine outlived the bot")
    on_site = None if scene.site is None else scene.site.bot_turns()
    scene.ledger.problems += evidence.unjournaled(scene.the_bot, scene.ledger, on_site)
    await scene.the_bot.spawn()
    return began


async def kill_engine(scene: Scene) -> float:
    """Send SIGKILL to one of the bot's engines."""
    engine = scene.the_bot.engines.latest
    assert engine is not None, "the bot plays"
    os.kill(engine, signal.SIGKILL)
    return time.monotonic()


async def kill_site(scene: Scene) -> float:
    """Send SIGKILL to the process that has all connections of the rehearsed platform."""
    began = time.monotonic()
    await scene.the_site.connections.kill()
    await asyncio.sleep(scene.rng.uniform(0, SITE_DOWN_S))
    await scene.the_site.start()
    return began


async def fill_arena_disk(scene: Scene) -> float:
    """Fill the arena's disk for longer than any player may think about a turn."""
    lines = len(scene.arena.log)
    with full_disk(scene.arena.pid):
        await _stand_still(scene)
    ended = time.monotonic()
    await _told_once(scene, lines)
    return ended


async def fill_disk_with_log(scene: Scene) -> float:
    """Do the same with the arena's log on that disk."""
    with full_disk(scene.arena.pid):
        await _stand_still(scene)
    return time.monotonic()


async def lock_database(scene: Scene) -> float:
    """Lock the arena's database from another program for the same time."""
    lines = len(scene.arena.log)
    with locked(scene.data / DATABASE):
        await _stand_still(scene)
    ended = time.monotonic()
    await _told_once(scene, lines)
    return ended


async def fill_bot_disk(scene: Scene) -> float:
    """Fill the bot's disk for a while."""
    with full_disk(scene.the_bot.pid):
        await asyncio.sleep(BOT_TROUBLE_S)
    return time.monotonic()


async def stop_arena(scene: Scene) -> float:
    """Stop the arena for longer than any player may think."""
    return await _stopped(scene.arena.pid, TROUBLE_S if scene.site is None else STOP_S)


async def stop_bot(scene: Scene) -> float:
    """Stop the daemon for longer than every limit. It may lose the games that it plays."""
    began = time.monotonic()
    scene.ledger.stopped = daemon.NAME
    ended = await _stopped(scene.the_bot.pid, STOP_S)
    scene.the_site.excuse(began)
    return ended


async def stop_engine(scene: Scene) -> float:
    """Stop an engine of the bot for longer than every limit."""
    engine = scene.the_bot.engines.latest
    assert engine is not None, "the bot plays"
    return await _stopped(engine, STOP_S)


async def stop_site(scene: Scene) -> float:
    """Stop the process that has all connections of the platform for longer than every limit."""
    began = time.monotonic()
    ended = await _stopped(scene.the_site.connections.pid, STOP_S)
    scene.the_site.excuse(began)
    return ended


async def _stopped(pid: int, seconds: float) -> float:
    """Send SIGSTOP, wait, and send SIGCONT if the process is still there."""
    os.kill(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(seconds)
    finally:
        with suppress(ProcessLookupError):  # the bot kills an engine that does not answer
            os.kill(pid, signal.SIGCONT)
    return time.monotonic()


async def cut_connections(scene: Scene) -> float:
    """For a while, cut every connection after some bytes, in the middle of a message."""
    scene.proxy.harm(CUT_AFTER_BYTES)
    await asyncio.sleep(CUTTING_S)
    scene.proxy.heal()
    return time.monotonic()


async def step_wall_clock(scene: Scene) -> float:
    """Set the wall clock by an hour, and kill the arena within seconds."""
    step = scene.data / STEP_FILE
    fresh = step.with_suffix(".new")
    fresh.write_text(str(step_in(step) + scene.rng.choice([-HOUR_S, HOUR_S])))
    fresh.replace(step)  # the arena may be reading it
    await asyncio.sleep(scene.rng.uniform(0, SOON_S))
    began = time.monotonic()
    await scene.arena.kill()
    await scene.start_arena()
    return began


@contextmanager
def full_disk(pid: int) -> Iterator[None]:
    """Prevent the process from writing to any file."""
    kind = resource.RLIMIT_FSIZE
    before = resource.prlimit(pid, kind)
    resource.prlimit(pid, kind, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, kind, before)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a database as `sqlite3 arena.db` with an open transaction does."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=20)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


async def _stand_still(scene: Scene) -> None:
    """Check for a while that health answers 503 and all clocks are stopped."""
    until = time.monotonic() + TROUBLE_S
    async with _http(scene) as http:
        if not await _status(http, 503):
            scene.ledger.problems.append("health does not report the trouble")
        for state in [state for player in scene.players for state in player.games.values()]:
            answer = await scene.watched(state["game_id"])
            if _is_played(answer) and answer["clocks"]["running"] is not None:
                scene.ledger.problems.append(f"{state['game_id']}: its clock runs")
        await asyncio.sleep(max(0.0, until - time.monotonic()))


def _is_played(state: Json) -> bool:
    return state["result"] is None


async def _told_once(scene: Scene, since: int) -> None:
    """Check that the log reports the trouble once, and is not full of it."""
    async with _http(scene) as http:
        if not await _status(http, 200):
            scene.ledger.problems.append("health does not report the end of the trouble")
    noticed = scene.arena.lines_with(NOTICED, since)
    if len(noticed) != 1:
        scene.ledger.problems.append(f"{len(noticed)} lines report the trouble")
    refusals = scene.arena.lines_with("unavailable", since)
    if len(refusals) > LINES_IN_TROUBLE:
        scene.ledger.problems.append(f"{len(refusals)} lines of refusals during the trouble")


@asynccontextmanager
async def _http(scene: Scene) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(f"http://127.0.0.1:{scene.proxy.port}") as session:
        yield session


async def _status(http: aiohttp.ClientSession, expected: int) -> bool:
    """Return whether health answers with this status within a while."""
    deadline = time.monotonic() + HEALTH_S
    while time.monotonic() < deadline:
        async with http.get("/healthz") as response:
            if response.status == expected:
                return True
        await asyncio.sleep(0.05)
    return False
