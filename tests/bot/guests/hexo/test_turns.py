"""Turns of HeXO as cells, and turns as other programs name them."""

import pytest

import engine
from bot.guests.hexo.turns import cells_of, turn_of, with_pair, without_surplus

GAME = engine.game("hexo")
FIVE = ["0:0", "0:1,0:2", "1:0,2:0", "0:3,1:1", "3:0,4:0", "5:5,6:6"]
"""x has five in a row, and is to move."""


def test_a_second_stone_is_left_out_only_after_a_win() -> None:
    five = GAME.replay(FIVE)
    assert without_surplus(five, "5:0,9:9") == "5:0"
    assert without_surplus(five, "9:0,5:0") == "9:0,5:0"
    assert without_surplus(five, "5:0") == "5:0"
    assert without_surplus(GAME.start(), "0:0") == "0:0"


def test_turns_are_cells_and_back() -> None:
    assert cells_of("0:0") == ((0, 0),)
    assert turn_of(cells_of("-1:2,3:-4")) == "-1:2,3:-4"
    for text in ("", "1", "1:2,3:4,5:6", "1:2;3:4", "a:b", "9999999999:0"):
        with pytest.raises(ValueError, match="is not a turn of HeXO"):
            cells_of(text)


def test_a_turn_of_another_program_may_name_its_stones_in_any_order() -> None:
    start = GAME.replay(["0:0"])
    assert with_pair(start, [(8, 0), (16, 0)]).turns[-1] == "8:0,16:0"
    assert with_pair(start, [(16, 0), (8, 0)]).turns[-1] == "8:0,16:0"
    assert with_pair(GAME.replay(FIVE), [(5, 0), (99, 99)]).turns[-1] == "5:0"
    with pytest.raises(engine.IllegalTurn):
        with_pair(start, [(16, 0), (24, 0)])
