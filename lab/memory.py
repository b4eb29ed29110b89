"""`make lab ARGS=memory`: what the processes of `bluestone up` take, and when people can play."""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import psutil
from cyclopts import Parameter

import engine
from bot.bench.clients.frames import Json, RequestRefused
from bot.bench.clients.guests import Guest, as_setup
from bot.bench.processes import running
from bot.cli.measurements import (
    Count,
    FigureTable,
    MeasurementReport,
    Seconds,
    measurement,
    progress,
)
from bot.errors import HostError
from bot.runtime.http_client import is_ok_within
from bot.runtime.listening import bound
from lab.latency import play, seated

CLOCK: Final = {"kind": "fischer", "initial_s": 600, "increment_s": 5}
READY_S: Final = 600.0
POLL_S: Final = 0.1
SAMPLE_S: Final = 1.0
ROLES: Final = {
    "guardian": "guardian.py",
    "engine": "engine.ugi",
    "compiler": "engine.warming",
    "forks": "bluestone forks",
    "up": " up ",
    "arena": " arena ",
    "bot": " bot ",
    "analyst": " analyst ",
}
"""What the command of each kind of process contains; the first that fits counts."""


@dataclass(frozen=True)
class MemoryPlan:
    """What to measure: games at once against one of the bots, after a time without any."""

    games: int
    opponent: str
    rest_s: float
    seconds: float
    python: str


@dataclass(frozen=True)
class ProcessMemory:
    """Memory of one process in millions of bytes.

    `pss` counts a page that n processes share as an n-th, so the sum is what all of them take.
    """

    role: str
    pss: float
    rss: float


@dataclass(frozen=True)
class MemoryFigures:
    """Seconds from the command to a page, to bots, and to an accepted game of each kind; memory."""

    page_s: float
    bots_s: float
    games_s: float
    at_rest: list[ProcessMemory]
    in_games: list[ProcessMemory]
    """At the moment when all processes together took most."""


@measurement
def memory(
    *,
    games: Annotated[Count, Parameter(help="number of games at once")] = 4,
    opponent: Annotated[str, Parameter(help="the bundled bot that plays them")] = "Granite",
    rest: Annotated[Seconds, Parameter(help="seconds before memory at rest is read")] = 20.0,
    seconds: Annotated[Seconds, Parameter(help="seconds of play")] = 60.0,
    python: Annotated[
        Path | None, Parameter(help="the Python of another environment, such as that of a wheel")
    ] = None,
) -> MeasurementReport:
    """Measure the memory of every process of `bluestone up`, at rest and during games, and the
    seconds until people can play.

    Set BLUESTONE_CACHE_DIR to an empty folder to include compilation.
    """
    plan = MemoryPlan(games, opponent, rest, seconds, str(python or sys.executable))
    found = asyncio.run(measure(plan, progress))
    text: list[str | FigureTable] = [
        f"page after {found.page_s:.1f} s, bots after {found.bots_s:.1f} s",
        f"a game of each kind after {found.games_s:.1f} s",
        memory_table("at rest", found.at_rest),
        memory_table(f"{games} games", found.in_games),
    ]
    return MeasurementReport(text, found)


def memory_table(moment: str, processes: Iterable[ProcessMemory]) -> FigureTable:
    """Return a table of processes and their sum; RSS has no sum, since pages are shared."""
    ranked = sorted(processes, key=lambda each: -each.pss)
    rows = [(each.role, f"{each.pss:.1f}", f"{each.rss:.1f}") for each in ranked]
    total = sum(each.pss for each in ranked)
    return FigureTable((f"MB {moment}", "PSS", "RSS"), [*rows, ("all", f"{total:.1f}", "")])


def memory_of(parent: int) -> list[ProcessMemory]:
    """Return the memory of a process and of all its descendants."""
    root = psutil.Process(parent)
    found = []
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.Error):  # it has ended in between
            used = process.memory_full_info()
            role = role_of(" ".join(process.cmdline()))
            found.append(ProcessMemory(role, used.pss / 1e6, used.rss / 1e6))
    return found


def role_of(command: str) -> str:
    """Return the kind of a process of `bluestone up`."""
    return next((role for role, part in ROLES.items() if part in f"{command} "), "another")


async def measure(plan: MemoryPlan, on_progress: Callable[[str], None]) -> MemoryFigures:
    """Start `bluestone up` on an empty folder, wait, then play. Raises HostError."""
    every_game = [engine.game(each.name) for each in engine.games()]
    port = _free_port()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as data:
        command = [plan.python, "-P", "-m", "bot", "up", "--port", f"{port}", "--data", data]
        page = asyncio.create_task(_seconds_to_page(f"http://127.0.0.1:{port}/", began))
        async with running(command) as program:
            bots_s = time.monotonic() - began
            await asyncio.gather(
                *(_ready(program.address, each, plan.opponent) for each in every_game)
            )
            games_s = time.monotonic() - began
            on_progress(f"ready after {games_s:.1f} s")
            await asyncio.sleep(plan.rest_s)
            at_rest = memory_of(program.process.pid)
            on_progress("playing")
            chosen = [every_game[number % len(every_game)] for number in range(plan.games)]
            in_games = await _memory_while_playing(
                program.address, chosen, plan, program.process.pid
            )
        return MemoryFigures(await page, bots_s, games_s, at_rest, in_games)


def _free_port() -> int:
    with bound("127.0.0.1", 0) as free:
        return int(free.getsockname()[1])


async def _seconds_to_page(url: str, began: float) -> float:
    if not await is_ok_within(url, READY_S):
        raise HostError(f"no page at {url} within {READY_S:g} s")
    return time.monotonic() - began


async def _ready(address: str, game: engine.Game, opponent: str) -> None:
    """Return when the bot has accepted a game, which the guest then aborts."""
    async with seated(address) as (guest, states):
        game_id = await _started(guest, states, game, opponent)
        await guest.ask("game.action", game_id=game_id, action="abort")


async def _started(
    guest: Guest, states: "asyncio.Queue[Json]", game: engine.Game, opponent: str
) -> str:
    """Challenge the bot until a game starts, since it declines while its engine is compiled."""
    async with asyncio.timeout(READY_S):
        while True:
            with suppress(RequestRefused):  # such as for a challenge that is still open
                await guest.challenge(opponent, as_setup(game, CLOCK))
            with suppress(TimeoutError):
                state = await asyncio.wait_for(states.get(), POLL_S)
                states.put_nowait(state)
                return str(state["game_id"])


async def _memory_while_playing(
    address: str, games: list[engine.Game], plan: MemoryPlan, pid: int
) -> list[ProcessMemory]:
    async def table(game: engine.Game, seed: int) -> None:
        while True:
            async with seated(address) as (guest, states):
                await _started(guest, states, game, plan.opponent)
                await play(guest, states, game, random.Random(seed))

    most: list[ProcessMemory] = []
    tables = [asyncio.create_task(table(game, seed)) for seed, game in enumerate(games)]
    try:
        end = time.monotonic() + plan.seconds
        while time.monotonic() < end:
            done, _ = await asyncio.wait(
                tables, timeout=SAMPLE_S, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                task.result()
            most = max(most, memory_of(pid), key=lambda found: sum(each.pss for each in found))
    finally:
        for task in tables:
            task.cancel()
        await asyncio.gather(*tables, return_exceptions=True)
    return most
