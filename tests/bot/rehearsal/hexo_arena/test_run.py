"""A rehearsal of the real bot with a random engine, and what it finds in a bad one."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.daemon.settings_file import load_settings
from bot.rehearsal.bot_process import TOKEN_VARIABLE
from bot.rehearsal.hexo_arena.faults import NONE, Limits
from bot.rehearsal.hexo_arena.run import HexoPlan, configuration, rehearse
from bot.rehearsal.plan import Progress

FAULTS = replace(
    NONE, request_lost=0.1, answer_lost=0.05, request_twice=0.2, finish_lost=0.3, token_dies=0.3
)


def quietly(_progress: Progress) -> None: ...


@pytest.mark.e2e
async def test_the_bot_gets_through_faults(tmp_path: Path) -> None:
    plan = HexoPlan(
        tmp_path,
        games=3,
        at_once=3,
        faults=FAULTS,
        limits=Limits(heartbeat_s=1.0),
        engine="random",
        limit_s=100,
        max_turn_s=0.05,
    )
    outcome = await rehearse(plan, quietly)
    assert [check for check in outcome.checks if check.found] == []
    assert outcome.counts["games over"] >= 3


def test_the_settings_of_the_bot_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text(configuration(HexoPlan(tmp_path), "http://127.0.0.1:8080"))
    settings = load_settings(file, {TOKEN_VARIABLE: "hxo_test"})
    assert settings.platforms[0].kind == "hexo_arena"
