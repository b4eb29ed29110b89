"""A rehearsal with a scripted bot as a process, over HTTP."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.guests.abstract_play.rehearsal.faults import NONE
from bot.guests.abstract_play.rehearsal.opponents import Habits
from bot.guests.abstract_play.rehearsal.plan import RehearsalPlan
from bot.guests.abstract_play.rehearsal.run import rehearse
from bot.rehearsal import bot_process
from bot.rehearsal.verdict import Progress, RehearsalVerdict

BOT = (sys.executable, "-P", str(Path(__file__).with_name("scripted_bot.py")))
QUICK = Habits(
    think_ms=(1, 20),
    between_challenges_ms=(1, 50),
    gives_up_ms=5_000,
    resigns=0.1,
    forgets=0.0,
    variants=(("blooms", ("size-4",)),),
    hour_ms=10_000,
)


def quietly(_progress: Progress) -> None: ...


async def rehearsed(plan: RehearsalPlan) -> RehearsalVerdict:
    return await rehearse(plan, quietly)


@pytest.mark.e2e
async def test_an_honest_bot_passes_though_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_process, "TURN_S", 0.0)  # two short games may end within a second
    faults = replace(NONE, lost=0.1, twice=0.2, stale=0.2, delayed=0.1, delay_ms=(100, 500))
    plan = RehearsalPlan(
        tmp_path,
        games=2,
        at_once=2,
        faults=faults,
        kills=1,
        limit_s=100,
        sweep_s=1.0,
        habits=QUICK,
        command=BOT,
    )
    outcome = await rehearsed(plan)
    assert [check for check in outcome.checks if check.found] == []
    assert outcome.counts["kills"] == 1
