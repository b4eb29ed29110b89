"""Time controls: their short form, and what a turn costs under each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.time_controls import (
    ANY_CONTROL,
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    PlayerClock,
    TimeControl,
    Untimed,
    charge,
    full_clock,
    parse_time_control,
    run_down,
    time_left_ms,
)
from tests.bot.controls import controls

BYO = ByoYomi(main_s=10, period_s=5, periods=3)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("300+5", Fischer(initial_s=300, increment_s=5)),
        ("2.5+0", Fischer(initial_s=2.5, increment_s=0)),
        ("300/3x30", ByoYomi(main_s=300, period_s=30, periods=3)),
        ("10/turn", PerTurn(turn_s=10)),
        ("600", Absolute(initial_s=600)),
        ("3d+1d:7d", Correspondence(initial_s=259_200, increment_s=86_400, maximum_s=604_800)),
        ("none", Untimed()),
        (" 10/TURN ", PerTurn(turn_s=10)),
    ],
)
def test_short_forms_are_read(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@given(controls)
def test_a_control_is_read_back_as_it_was_written(control: TimeControl) -> None:
    assert parse_time_control(str(control)) == control
    assert ANY_CONTROL.validate_json(control.model_dump_json()) == control


@pytest.mark.parametrize(
    "text", ["", "5+", "+5", "-5+3", "1e3", "300/0x30", "0/turn", "9" * 400, "3d+1d", "300/3x", "x"]
)
def test_anything_else_is_refused_with_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_time_control(text)


def test_the_refusal_names_the_known_forms() -> None:
    with pytest.raises(ValueError, match=r"300\+5, 300/3x30"):
        parse_time_control("fast")


def test_fischer_gives_the_increment_after_the_turn() -> None:
    control = Fischer(initial_s=60, increment_s=2)
    assert charge(control, full_clock(control), 5_000).main_ms == 57_000


def test_correspondence_never_exceeds_its_maximum() -> None:
    control = Correspondence(initial_s=100, increment_s=50, maximum_s=120)
    assert charge(control, full_clock(control), 10_000).main_ms == 120_000


def test_per_turn_starts_afresh_each_turn() -> None:
    control = PerTurn(turn_s=10)
    assert charge(control, full_clock(control), 9_999) == full_clock(control)


def test_absolute_only_runs_down() -> None:
    control = Absolute(initial_s=10)
    assert charge(control, full_clock(control), 4_000).main_ms == 6_000


def test_an_untimed_clock_never_runs() -> None:
    clock = full_clock(Untimed())
    assert charge(Untimed(), clock, 10**9) == clock
    assert time_left_ms(Untimed(), clock) is None


def test_a_byo_yomi_turn_within_a_period_keeps_the_period() -> None:
    after = charge(BYO, PlayerClock(main_ms=0, periods=3), 4_999)
    assert after == PlayerClock(main_ms=0, periods=3)


def test_a_byo_yomi_turn_of_more_than_a_period_costs_it() -> None:
    after = charge(BYO, PlayerClock(main_ms=1_000, periods=3), 1_000 + 5_000 + 1)
    assert after == PlayerClock(main_ms=0, periods=2)


def test_a_running_byo_yomi_clock_shows_what_is_used_of_the_period() -> None:
    clock = run_down(BYO, full_clock(BYO), 10_000 + 5_000 + 2_000)
    assert clock == PlayerClock(main_ms=0, periods=2, period_used_ms=2_000)
    assert time_left_ms(BYO, clock) == 8_000


def test_a_byo_yomi_clock_stopped_within_a_period_continues_from_there() -> None:
    stopped = run_down(BYO, full_clock(BYO), 12_000)
    assert charge(BYO, stopped, 2_999) == PlayerClock(main_ms=0, periods=3)
    assert charge(BYO, stopped, 3_000) == PlayerClock(main_ms=0, periods=2)


@given(controls, st.integers(0, 10**8), st.integers(0, 10**8))
def test_running_down_in_two_steps_is_running_down_once(
    control: TimeControl, first: int, second: int
) -> None:
    full = full_clock(control)
    in_steps = run_down(control, run_down(control, full, first), second)
    assert in_steps == run_down(control, full, first + second)


@given(controls, st.integers(0, 10**8))
def test_running_down_takes_exactly_the_time_that_passed(
    control: TimeControl, elapsed: int
) -> None:
    full = full_clock(control)
    left, after = time_left_ms(control, full), run_down(control, full, elapsed)
    if left is None:
        assert after == full
    elif elapsed >= left:
        assert after.flagged
        assert time_left_ms(control, after) == 0
    else:
        assert not after.flagged
        assert time_left_ms(control, after) == left - elapsed


@given(controls, st.integers(0, 10**8), st.integers(0, 10**8))
def test_a_flag_that_fell_stays_down(control: TimeControl, first: int, second: int) -> None:
    clock = charge(control, full_clock(control), first)
    if clock.flagged:
        assert charge(control, clock, second).flagged
