"""A rehearsal of the real bot with a random engine, and what it finds in a bad one."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.daemon.settings_file import load_settings
from bot.guests.hexo_arena.rehearsal.faults import NONE, ServerLimits
from bot.guests.hexo_arena.rehearsal.run import HexoPlan, configuration, rehearse
from bot.guests.hexo_arena.rehearsal.scenario import Scenario
from bot.guests.hexo_arena.rehearsal.server import StandIn
from bot.rehearsal.bot_process import TOKEN_VARIABLE, RehearsedProgram
from bot.rehearsal.verdict import RehearsalProgress
from bot.runtime.children import PYTHON_M
from bot.runtime.listening import address_of, bound
from bot.runtime.tasks import cancelled
from tests.fakes.waiting import eventually

FAULTS = replace(
    NONE, request_lost=0.1, answer_lost=0.05, request_twice=0.2, finish_lost=0.3, token_dies=0.3
)


def quietly(_progress: RehearsalProgress) -> None: ...


@pytest.mark.e2e
@pytest.mark.timeout(400)
async def test_the_bot_gets_through_faults(tmp_path: Path) -> None:
    plan = HexoPlan(
        tmp_path,
        games=3,
        at_once=3,
        faults=FAULTS,
        limits=ServerLimits(heartbeat_s=1.0),
        engine="random",
        limit_s=300,
        max_turn_s=0.05,
    )
    outcome = await rehearse(plan, quietly)
    assert [check for check in outcome.checks if check.found] == []
    assert outcome.counts["games over"] >= 3


@pytest.mark.e2e
async def test_a_bot_that_is_asked_to_stop_ends_its_games_first(tmp_path: Path) -> None:
    """It opens the stream again, without taking games, and ends after the last one."""
    stand_in = StandIn(Scenario("Rehearsing", "hxo_test"))
    listening = bound("127.0.0.1", 0)
    plan = HexoPlan(tmp_path, engine="random", max_turn_s=0.05)
    settings = configuration(plan, address_of(listening)).replace("drain_s = 0", "drain_s = 90")
    (tmp_path / "bot.toml").write_text(settings)
    command = (*PYTHON_M, "bot", "bot", "--config", str(tmp_path / "bot.toml"))
    child = RehearsedProgram(command, {TOKEN_VARIABLE: "hxo_test"}, tmp_path / "bot.log")
    serving = asyncio.create_task(stand_in.run(listening))
    try:
        await child.start()
        await eventually(lambda: len(stand_in.tables.live) >= 1)
        assert await child.end(90) == 0
    finally:
        await child.end(0)
        await cancelled(serving)
    assert stand_in.tables.live == []
    assert stand_in.audit.violations == []
    assert stand_in.audit.counts["streams opened"] == 2


def test_the_settings_of_the_bot_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text(configuration(HexoPlan(tmp_path), "http://127.0.0.1:8080"))
    settings = load_settings(file, {TOKEN_VARIABLE: "hxo_test"})
    assert settings.platforms[0].kind == "hexo_arena"
