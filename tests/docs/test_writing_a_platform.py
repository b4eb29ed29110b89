"""The platform of docs/writing-a-platform.md works as a package of its own."""

import asyncio
import importlib
import os
import random
import re
import signal
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType

import pytest
from aiohttp import web

from bot.platforms.base import (
    ChallengeGone,
    ChallengeOffered,
    Connected,
    GameGone,
    GameOutcome,
    Platform,
    TokenRefused,
    TurnInfo,
    TurnRefused,
)
from bot.platforms.settings import BotContext
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from bot.runtime.listening import address_of, bound
from bot.time_source import SystemTime
from tests.fakes.platform import EventLog
from tests.fakes.waiting import eventually
from tools import ROOT

PAGE = (ROOT / "docs" / "writing-a-platform.md").read_text(encoding="utf-8")
FILE = re.compile(r"^\*\*`(\S+)`\*\*.*?^```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```text\n(bot\.toml.*?)^```", re.MULTILINE | re.DOTALL)
ENTRIES = "[bluestone.platforms]\nstoneclub = {}\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files of the page, in which the package is installed."""
    for name, content in FILE.findall(PAGE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    about = tmp_path / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    entry = project["entry-points"]["bluestone.platforms"]["stoneclub"]
    (about / "entry_points.txt").write_text(ENTRIES.format(entry))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("club", "stoneclub", "stoneclub.settings", "stoneclub.platform"):
        sys.modules.pop(name, None)


@asynccontextmanager
async def serving_club() -> AsyncIterator[str]:
    """The club of the page."""
    club: ModuleType = importlib.import_module("club")
    runner = web.AppRunner(club.application(), access_log=None)
    await runner.setup()
    listening = bound("127.0.0.1", 0)
    await web.SockSite(runner, listening).start()
    try:
        yield address_of(listening)
    finally:
        await runner.cleanup()


async def program(folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    environ = {**os.environ, "PYTHONPATH": str(folder), "STONECLUB_TOKEN": "secret"}
    command = (sys.executable, "-m", "bot", *arguments)
    return await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environ, stdout=asyncio.subprocess.PIPE
    )


@pytest.mark.e2e
async def test_the_bot_plays_a_game_on_it(package: Path) -> None:
    async with serving_club() as url:
        text = (package / "bot.toml").read_text().replace("http://127.0.0.1:8765", url)
        (package / "bot.toml").write_text(f"{text}poll_s = 0.05\n[health]\nport = 0\n")
        checking = await program(package, "check", "--online", "bot.toml")
        printed, _ = await checking.communicate()
        assert [printed.decode()] == PRINTED.findall(PAGE)
        records = package / "club-data" / "records.jsonl"
        bot = await program(package, "bot", "--config", "bot.toml")
        try:
            await eventually(lambda: bot.returncode is not None or records.exists())
        finally:
            bot.send_signal(signal.SIGTERM)
            await bot.communicate()
    assert bot.returncode == 0
    (record,) = read_records(records)
    assert isinstance(record, GameRecord)
    assert record.platform == "stoneclub"
    assert record.result is not None
    assert record.result.reason == "played_out"


def platform_at(url: str, token: str = "secret") -> Platform:
    settings = importlib.import_module("stoneclub.settings")
    environ = {"BLUESTONE_TOKEN": token}
    context = BotContext(environ, SystemTime(), random.Random(1), Path(), "random", None)
    platform: Platform = settings.StoneclubConnection(url=url, poll_s=0.01).platform(context)
    return platform


@asynccontextmanager
async def running(platform: Platform) -> AsyncIterator[EventLog]:
    """What a platform tells while it runs."""
    events = EventLog()
    task = asyncio.create_task(platform.run(events))
    try:
        yield events
    finally:
        task.cancel()
        await asyncio.wait({task})


@pytest.mark.usefixtures("package")
async def test_its_calls_have_the_meaning_that_the_page_says() -> None:
    async with serving_club() as url, running(platform := platform_at(url)) as log:
        await eventually(lambda: len(log.events) == 2)
        assert log.events[0] == Connected("Granite", url, frozenset(), frozenset({"g1"}))
        assert isinstance(log.events[1], ChallengeOffered)
        await platform.accept("g1")
        await eventually(lambda: bool(log.games()))
        assert log.events[2] == ChallengeGone("g1", "started", "g1")
        assert log.games()[-1].facts.our_turn
        with pytest.raises(TurnRefused):
            await platform.submit("g1", 0, "nonsense", TurnInfo())
        with pytest.raises(GameGone):
            await platform.watch("g2")
        for _ in range(2):
            await platform.submit("g1", 0, "pass", TurnInfo())
        await eventually(lambda: log.games()[-1].facts.ply >= 2)
        await platform.resign("g1")
        await eventually(lambda: log.games()[-1].facts.outcome == GameOutcome(2, "resignation"))


@pytest.mark.usefixtures("package")
async def test_a_token_that_is_refused_ends_the_run() -> None:
    async with serving_club() as url:
        with pytest.raises(TokenRefused):
            await platform_at(url, "wrong").run(EventLog())
