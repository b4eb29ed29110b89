"""Fake engines as specs, and ways to see that they are gone."""

import asyncio
import os
import sys
from pathlib import Path

import engine
from bot.engines.channel import LineChannel
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget, PoolUser, Question
from bot.engines.spec import EngineSpec
from tests.fakes.waiting import eventually

PROGRAM = Path(__file__).parents[2] / "fakes" / "engine.py"
AMPLE = Budget(think_ms=50_000, hard_ms=60_000, go="movetime 50000")


def fake(mode: str = "ok", *arguments: object, **fields: object) -> EngineSpec:
    """A spec of `tests/fakes/engine.py` in that mode. It may write next to files it is given."""
    command = [sys.executable, str(PROGRAM), "--mode", mode, *map(str, arguments)]
    box = {"write": [each.parent for each in arguments if isinstance(each, Path)]}
    return EngineSpec.model_validate({"name": "fake", "command": command, "sandbox": box, **fields})


def channel_of(process: EngineProcess) -> LineChannel:
    """The pipes of a program."""
    assert isinstance(process._link, LineChannel)
    return process._link


def after(*turns: str) -> engine.Position:
    return engine.game("bluestone", "pent-6").replay(turns)


def question(*turns: str, game_id: str = "g", user: PoolUser | None = None) -> Question:
    return Question(game_id, after(*turns), AMPLE, user=user)


def searched(log: Path) -> list[str]:
    """What the only process that searches was told of the position at each `go`."""
    found, position = list[str](), ""
    for line in log.read_text().splitlines() if log.exists() else ():
        if line.startswith("position"):
            position = line.removeprefix("position startpos").removeprefix(" moves ")
        elif line.startswith("go "):
            found.append(position)
    return found


class Lifeline:
    """A FIFO that the fake engine's child holds open: it ends when the child does."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lifeline"
        os.mkfifo(self.path)

    async def everyone_is_gone(self) -> bool:
        """Wait for the child to have lived, and to live no more."""
        return await asyncio.to_thread(self.path.read_text) == "started\n"


async def until_searches(log: Path, times: int) -> None:
    await eventually(lambda: len(searched(log)) >= times)
