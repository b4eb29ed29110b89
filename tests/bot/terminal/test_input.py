"""What people type for a turn, in the ways they type it."""

import pytest

import engine
from bot.terminal.input import is_turn, turn_text, why_not_first

SECOND = engine.game("bluestone", board="pent-3").replay(["0-0"])


@pytest.mark.parametrize("typed", ["1-3,2-1", "1-3 2-1", " 1-3 , 2-1 ", "1-3,  2-1", "1-3,,2-1"])
def test_comma_and_blank_do_the_same(typed: str) -> None:
    assert turn_text(typed) == "1-3,2-1"


def test_capitals_do_not_matter() -> None:
    assert turn_text("A1 B2") == "a1,b2"
    assert turn_text("PASS") == "pass"


def test_words_are_told_from_turns() -> None:
    assert is_turn("1-3,9-9")
    assert is_turn("pass")
    assert not is_turn("resing")


def test_a_first_stone_is_fine_though_a_second_is_missing() -> None:
    assert all(why_not_first(SECOND, step) is None for step in SECOND.choices().legal)
    occupied = why_not_first(SECOND, "0-0")
    assert occupied is not None
    assert occupied.rule == "occupied"
