"""Real bot daemons for tests, with an engine that knows no rules."""

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bot.daemon.run import RECORDS, run
from bot.daemon.settings import Settings
from bot.records.jsonl import DamagedLine, read_records
from bot.records.model import GameRecord
from tests.fakes.arena_server import FakeArena, FakeGame
from tests.fakes.waiting import eventually

FAKE_ENGINE = Path(__file__).parents[2] / "fakes" / "engine.py"
ENVIRON = {"GRANITE": "granite-token", "BASALT": "basalt-token", "WRONG": "wrong-token"}


def fake_engine(*turns: str, mode: str = "ok") -> dict[str, Any]:
    """An [engines] table; it plays `turns` by ply, and passes afterwards."""
    command = [sys.executable, str(FAKE_ENGINE), "--mode", mode, "--turns", *turns]
    return {"name": "fake", "command": command}


def identity(arena: FakeArena, name: str = "Granite", **more: Any) -> dict[str, Any]:
    """A [[platforms]] table with short deadlines."""
    quick = {"answer_s": 0.3, "longest_wait_s": 0.05}
    fields = {"name": name, "url": arena.url, "token_env": name.upper(), "engine": "fake"}
    return fields | quick | more


def settings(data: Path, *platforms: dict[str, Any], **more: Any) -> Settings:
    tables = {
        "daemon": {"data": data, "drain_s": 60},
        "engines": {"fake": fake_engine("3-0")},
        "platforms": list(platforms),
    }
    return Settings.model_validate(tables | more)


class Daemon:
    """A running daemon; `stop` asks it to end."""

    def __init__(self, chosen: Settings) -> None:
        self.data = chosen.daemon.data
        self.stopping = asyncio.Event()
        self.task = asyncio.create_task(run(chosen, self.stopping, environ=ENVIRON))

    async def stop(self) -> int:
        self.stopping.set()
        return await self.task

    def records(self) -> Sequence[GameRecord]:
        """What it wrote; every line has to be whole."""
        path = self.data / RECORDS
        records = list(read_records(path)) if path.exists() else []
        assert not any(isinstance(record, DamagedLine) for record in records)
        return [record for record in records if isinstance(record, GameRecord)]


@asynccontextmanager
async def running(chosen: Settings) -> AsyncIterator[Daemon]:
    daemon = Daemon(chosen)
    try:
        yield daemon
    finally:
        daemon.task.cancel()
        await asyncio.wait({daemon.task})


async def until_ply(game: FakeGame, ply: int) -> None:
    await eventually(lambda: len(game.turns) >= ply)


def submitted(arena: FakeArena) -> dict[int, set[str]]:
    """The turns that were sent for each ply."""
    by_ply = defaultdict(set)
    for asked in arena.asked("game.turn"):
        by_ply[asked["ply"]].add(asked["turn"])
    return by_ply
