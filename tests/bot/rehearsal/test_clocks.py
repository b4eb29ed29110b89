"""The clocks of the platform."""

from bot.rehearsal.clocks import HOUR_MS, ClockTerms

TERMS = ClockTerms(48, 12, 96)


def test_a_move_gives_the_increment_back() -> None:
    assert TERMS.after(48 * HOUR_MS, 5 * HOUR_MS) == 55 * HOUR_MS


def test_a_clock_never_has_more_than_its_maximum() -> None:
    assert TERMS.after(95 * HOUR_MS, 1) == 96 * HOUR_MS


def test_time_that_ran_out_unclaimed_leaves_the_increment_alone() -> None:
    assert TERMS.after(HOUR_MS, HOUR_MS + 1) == 12 * HOUR_MS


def test_short_hours_count_as_hours() -> None:
    hurried = ClockTerms(12, 6, 24, hour_ms=10_000)
    assert hurried.start_ms == 120_000
    assert hurried.hours(34_000) == 3
