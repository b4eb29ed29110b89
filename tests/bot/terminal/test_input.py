"""What people type for a turn, in the ways they type it."""

import pytest

import engine
from bot.terminal.input import after_first, first_stones, is_turn, turn_text, why_not_first

START = engine.game("bluestone", board="pent-3").start()
SECOND = START.play("0-0")


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


def test_the_first_turn_is_one_stone() -> None:
    choice = after_first(START, "1-3")
    assert (choice.seconds, choice.alone) == ((), True)


def test_later_turns_need_a_second_stone_out_of_the_firsts_group() -> None:
    choice = after_first(SECOND, "1-3")
    assert not choice.alone
    assert "2-0" in choice.seconds
    assert not {"0-0", "1-3", "1-2", "1-4"} & set(choice.seconds)


def test_under_the_platforms_rules_a_second_stone_is_free() -> None:
    position = engine.game("bluestone", board="pent-3", rules="abstractplay").start().play("0-0")
    choice = after_first(position, "1-3")
    assert choice.alone
    assert choice.seconds


def test_stones_of_two_colours_are_written_with_the_colour_first() -> None:
    position = engine.game("blooms", board="hexhex-4").start().play("1a1")
    choice = after_first(position, "1d4")
    assert choice.alone
    assert "2d3" in choice.seconds
    assert not {"1d3", "2d4", "2a1"} & set(choice.seconds)


def test_first_stones_are_those_of_the_legal_turns() -> None:
    firsts = {turn.split(",")[0] for turn in SECOND.legal_turns()} - {"pass"}
    assert set(first_stones(SECOND)) == firsts
    occupied = why_not_first(SECOND, "0-0")
    assert occupied is not None
    assert occupied.rule == "occupied"
