"""Games between fake engines: their tasks, and functions that play them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec
from bot.matches.referee import Officials, play_game
from bot.matches.task import GameReport, GameTask
from bot.time_controls import TimeControl, Untimed
from bot.time_source import SystemTime, TimeSource
from bot.tournaments.conduct import HostConduct
from bot.tournaments.model import MatchSetup, ScheduledGame
from tests.bot.engines.fakes import fake
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

TURNS = ("0-0", "1-0,3-2", "5-3,2-1", "4-1,4-3")


def playing(mode: str = "ok", *arguments: object, turns: Sequence[str] = TURNS) -> EngineSpec:
    """A fake engine that plays these turns by ply and then passes."""
    return fake(mode, *arguments, "--turns", *turns)


def task(
    one: EngineSpec,
    two: EngineSpec,
    *,
    clock: TimeControl | None = None,
    opening: tuple[str, ...] = (),
    conduct: HostConduct | None = None,
    board: str = "pent-6",
    game: str = "bluestone",
) -> GameTask:
    """A task; without a clock the game is played by nodes."""
    nodes = 100 if clock is None else None
    setup = MatchSetup(
        game=game, board=board, rules="official", clock=clock or Untimed(), nodes=nodes
    )
    scheduled = ScheduledGame(number=7, pair=1, seats=("Ann", "Bob"), opening=opening)
    return GameTask(
        tournament="cup",
        seed=1,
        scheduled=scheduled,
        setup=setup,
        engines=(one, two),
        conduct=conduct or HostConduct(),
    )


@asynccontextmanager
async def seated(
    task: GameTask, time: TimeSource
) -> AsyncIterator[tuple[EngineProcess, EngineProcess]]:
    one, two = [await EngineProcess.start(spec, time) for spec in task.engines]
    try:
        yield one, two
    finally:
        await asyncio.gather(one.kill(), two.kill())


async def played(task: GameTask, officials: Officials | None = None) -> GameReport:
    """Play a game to its end, by the machine's clock."""
    time = SystemTime()
    async with seated(task, time) as seats:
        return await play_game(task, seats, time, officials or Officials())


async def played_slowly(
    task: GameTask, log: Path, seconds: float, officials: Officials | None = None
) -> GameReport:
    """Play a game in which the engine with that log takes `seconds` for its first turn."""
    time = FakeTime()
    async with seated(task, time) as seats:
        running = asyncio.create_task(play_game(task, seats, time, officials or Officials()))
        await eventually(lambda: log.exists() and "\ngo " in log.read_text())
        await time.jump(seconds)
        return await running
