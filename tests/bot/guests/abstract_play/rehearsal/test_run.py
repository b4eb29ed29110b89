"""A rehearsal of the real bot with a random engine."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.guests.abstract_play.rehearsal.faults import NONE
from bot.guests.abstract_play.rehearsal.opponents import Habits
from bot.guests.abstract_play.rehearsal.plan import RehearsalPlan
from bot.guests.abstract_play.rehearsal.run import rehearse
from bot.rehearsal import bot_process
from bot.rehearsal.verdict import RehearsalProgress, RehearsalVerdict

QUICK = Habits(
    think_ms=(1, 20),
    between_challenges_ms=(1, 50),
    gives_up_ms=5_000,
    resigns=0.1,
    forgets=0.0,
    variants=(("blooms", ("size-4",)),),
    hour_ms=10_000,
)


def quietly(_progress: RehearsalProgress) -> None: ...


async def rehearsed(plan: RehearsalPlan) -> RehearsalVerdict:
    return await rehearse(plan, quietly)


@pytest.mark.e2e
@pytest.mark.timeout(400)
async def test_the_bot_gets_through_faults_and_a_kill(
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
        limit_s=300,
        sweep_s=1.0,
        habits=QUICK,
        engine="random",
        max_turn_s=0.05,
    )
    outcome = await rehearsed(plan)
    assert [check for check in outcome.checks if check.found] == []
    assert outcome.counts["kills"] == 1
