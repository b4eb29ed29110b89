"""A platform of another kind than the arena: all that a new one has to bring is its class."""

import asyncio
from pathlib import Path

import pytest

from bot.daemon.run import RECORDS, run
from bot.daemon.settings import Settings
from bot.errors import ConfigurationError
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from bot.time_source import SystemTime
from tests.bot.daemon.bots import fake_engine
from tests.fakes.platform import OwnServer
from tests.fakes.waiting import eventually


def settings(data: Path, **more: object) -> Settings:
    table = {"url": "http://127.0.0.1:1", "engine": "fake", **more}
    engines = {"fake": fake_engine("3-0")}
    return Settings.model_validate(
        {"daemon": {"data": data}, "engines": engines, "platforms": [table]}
    )


async def test_a_game_on_a_platform_with_unknown_codes(tmp_path: Path) -> None:
    server, stop = OwnServer(SystemTime()), asyncio.Event()
    daemon = asyncio.create_task(run(settings(tmp_path), stop, make_platform=lambda *_: server))
    try:
        await eventually(lambda: daemon.done() or (tmp_path / RECORDS).exists())
        stop.set()
        assert await daemon == 0
    finally:
        daemon.cancel()
        await asyncio.wait({daemon})
    (record,) = read_records(tmp_path / RECORDS)
    assert isinstance(record, GameRecord)
    assert [turn.turn for turn in record.turns] == ["3-0", "pass", "pass"]
    assert [call[2:] for call in server.named("submit")] == [(0, "3-0"), (0, "3-0"), (2, "pass")]


async def test_games_cannot_be_sought_on_platforms_without_offers(tmp_path: Path) -> None:
    wanted = settings(tmp_path, seek={"opponent": "Ann"})
    with pytest.raises(ConfigurationError, match=r"platforms\.seek"):
        await run(wanted, asyncio.Event(), make_platform=lambda *_: OwnServer(SystemTime()))
