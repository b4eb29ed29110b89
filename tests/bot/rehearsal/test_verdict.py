"""A rehearsal in words."""

from bot.rehearsal.verdict import (
    Condition,
    RehearsalProgress,
    RehearsalVerdict,
    happened,
    line,
    must_hold,
)

OUTCOME = RehearsalVerdict(
    12.0, 3.5, 40, {"calls sent": 7, "calls lost": 0}, [Condition("illegal turn", 0)]
)


def test_one_line_has_the_counters() -> None:
    counts = {"games over": 3, "turns of the bot": 40, "calls sent": 50, "calls lost": 2}
    shown = line(RehearsalProgress(12.3, 50, 1, 0, counts))
    assert shown.startswith("12 s, 3 of 50 games, 40 turns, 50 calls, 2 lost")
    assert shown.endswith("1 kills, 0 violations")


def test_events_that_never_happened_are_left_out() -> None:
    assert [name for name, _ in happened(OUTCOME)][-1] == "calls sent"


def test_a_rehearsal_is_fine_if_nothing_was_found() -> None:
    assert OUTCOME.fine
    found = RehearsalVerdict(1.0, 1.0, 1, {}, [Condition("illegal turn", 2, ("5-3", "9-9"))])
    assert not found.fine
    assert must_hold(found) == [("illegal turn", "2", "5-3; 9-9")]
