"""Histories of the platform as turns: whose they are, and what among them is none."""

import pytest

from bot.guests.abstract_play.facts import ending_of, is_move, turns_of_state
from bot.guests.abstract_play.messages import State
from tests.bot.guests.abstract_play import bodies


def read(*plies: str, **changes: object) -> State:
    return State.model_validate_json(bodies.state(*plies, **changes))


def test_the_first_position_of_a_stack_has_no_turn() -> None:
    assert turns_of_state(read()) == ()
    assert turns_of_state(read("3-2", "pass")) == ("3-2", "pass")


def test_passes_that_the_platform_played_are_turns() -> None:
    assert turns_of_state(read("3-2", "pass", "pass")) == ("3-2", "pass", "pass")


def test_turns_are_written_as_our_engine_writes_them() -> None:
    assert turns_of_state(read("1A1", " 2b2, 1c3 ")) == ("1a1", "2b2,1c3")


@pytest.mark.parametrize("ending", ["resign", "timeout", "draw", "abandoned"])
def test_the_ending_of_a_game_is_not_a_turn(ending: str) -> None:
    state = read("3-2", "pass", ending, gameover=True)
    assert turns_of_state(state) == ("3-2", "pass")
    assert ending_of(state) == ending
    assert not is_move(ending)


def test_a_game_that_was_played_out_has_no_such_ending() -> None:
    assert ending_of(read("pass", "pass", gameover=True)) is None
    assert ending_of(read()) is None


@pytest.mark.parametrize("gap", ["", "timeout"])
def test_a_gap_among_the_turns_is_not_closed(gap: str) -> None:
    with pytest.raises(ValueError, match="ply 2 is "):
        turns_of_state(read("3-2", gap, "0-0"))


@pytest.mark.parametrize(("text", "expected"), [("", False), (" ", False), ("Timeout", False)])
def test_invalid_moves_are_recognized(text: str, expected: bool) -> None:
    assert is_move(text) is expected


@pytest.mark.parametrize("text", ["pass", "5-3", "5-3,2-1", "1a1", "2b2,1a1"])
def test_valid_moves_are_recognized(text: str) -> None:
    assert is_move(text)
