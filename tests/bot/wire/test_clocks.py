"""Which clocks a challenge may ask for."""

import pytest
from pydantic import ValidationError

from bot import wire
from bot.time_controls import DAY_S, Correspondence, Fischer, parse_time_control
from bot.wire.clocks import offered, settled


def taken(**clock: object) -> wire.OfferedSetup:
    return wire.OfferedSetup.model_validate({"clock": clock})


@pytest.mark.parametrize(
    "text",
    ["1+0", "86400+3600", "0/1x1", "86400/100x3600", "1/turn", "1", "3d+1d:7d", "366d+0d:366d"],
)
def test_clocks_within_the_bounds_are_taken_and_played_as_they_are(text: str) -> None:
    control = parse_time_control(text)
    assert settled(offered(control)) == control
    assert taken(**control.model_dump()).clock == offered(control)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("0.999+5", "initial_s"),
        ("86401+0", "initial_s"),
        ("300+3601", "increment_s"),
        ("0/3x0.5", "period_s"),
        ("86401/3x30", "main_s"),
        ("0.05/turn", "turn_s"),
        ("0.5", "initial_s"),
        ("0.01d+1d:7d", "initial_s"),
        ("3d+1d:0.01d", "maximum_s"),
    ],
)
def test_clocks_beyond_the_bounds_are_refused_with_the_field(text: str, field: str) -> None:
    control = parse_time_control(text)
    with pytest.raises(ValueError, match=f"no challenge can request the clock .*{field}"):
        offered(control)
    with pytest.raises(ValidationError, match=field):
        taken(**control.model_dump())


@pytest.mark.parametrize(
    "clock",
    [
        {"kind": "fischer", "initial_s": 1e-9, "increment_s": 0},
        {"kind": "byoyomi", "main_s": 0, "period_s": 1e-9, "periods": 1},
        {"kind": "per_turn", "turn_s": 1e-9},
        {"kind": "absolute", "initial_s": 1e-9},
    ],
)
def test_a_clock_of_a_nanosecond_is_refused(clock: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        taken(**clock)


def test_times_are_whole_milliseconds() -> None:
    clock = taken(kind="fischer", initial_s=90.00049, increment_s=1e-9).clock
    assert settled(clock) == Fischer(initial_s=90, increment_s=0)


def test_correspondence_is_played_in_days() -> None:
    control = Correspondence(initial_s=3 * DAY_S, increment_s=DAY_S, maximum_s=7 * DAY_S)
    assert settled(offered(control)) == control
