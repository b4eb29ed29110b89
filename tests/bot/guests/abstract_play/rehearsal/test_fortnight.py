"""A day of play in a second, with the machine off for some hours."""

from pathlib import Path

import pytest

from bot.guests.abstract_play.rehearsal.faults import NASTY
from bot.guests.abstract_play.rehearsal.fortnight import JUST_AFTER, WHILE_OFF, Fortnight, play
from bot.guests.abstract_play.rehearsal.opponents import Habits
from bot.rehearsal.verdict import RehearsalProgress, RehearsalVerdict

QUICK = Habits(think_ms=(60_000, 3_600_000), variants=(("blooms", ("size-4",)),))


def played(folder: Path, **changes: object) -> tuple[RehearsalVerdict, list[RehearsalProgress]]:
    shown: list[RehearsalProgress] = []
    usual = {"games": 4, "days": 1.0, "hours_off": 6.0, "faults": NASTY, "habits": QUICK}
    plan = Fortnight(folder, **{**usual, **changes})  # type: ignore[arg-type]
    return play(plan, shown.append), shown


def test_nothing_is_missed_in_a_day_with_six_hours_off(tmp_path: Path) -> None:
    outcome, shown = played(tmp_path)
    assert [check for check in outcome.checks if check.found] == []
    assert outcome.fine
    assert outcome.counts["games over"] > 4, "others began in their place"
    assert shown[-1].seconds > 86_400


def test_deadlines_during_the_outage_are_counted_separately(tmp_path: Path) -> None:
    habits = Habits(think_ms=QUICK.think_ms, variants=QUICK.variants, clocks=((2, 1, 3),))
    outcome, _ = played(tmp_path, habits=habits, days=0.6, hours_off=5.0)
    assert outcome.counts[WHILE_OFF] > outcome.counts[JUST_AFTER]
    assert outcome.counts["webhook without answer"] > 0
    assert outcome.fine


def test_a_bot_that_is_too_slow_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks at the games twice a day misses what runs out in three hours."""
    monkeypatch.setattr("bot.guests.abstract_play.rehearsal.simulated_bot.SWEEP_S", 43_200.0)
    habits = Habits(think_ms=QUICK.think_ms, variants=QUICK.variants, clocks=((2, 1, 3),))
    outcome, _ = played(tmp_path, habits=habits, hours_off=0.0, games=3)
    assert not outcome.fine
    assert "deadline passed" in [check.name for check in outcome.checks if check.found]
