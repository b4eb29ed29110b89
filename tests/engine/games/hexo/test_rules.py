"""HeXO by hand: wins, refusals, the cap, and what a player may choose next."""

import random
from typing import Any

import pytest

import engine

FIVE = "0:0 0:3,1:3 1:0,2:0 0:4,1:4 3:0,4:0 5:3,5:4"
"""Player 1 has five in a row from 0:0 to 4:0, and it is his turn."""


def played(turns: str, **options: Any) -> engine.Position:
    return engine.game("hexo", **options).replay(turns.split())


@pytest.mark.parametrize(
    ("turns", "turn", "rule", "where"),
    [
        ("", "pass", "malformed", None),
        ("", "", "malformed", None),
        ("0:0", "1:0,2:0,3:0", "malformed", None),
        ("0:0", "1:0,", "malformed", None),
        ("0:0", "1:0,x", "unknown-cell", "x"),
        ("0:0", "1:0,01:0", "unknown-cell", "01:0"),
        ("0:0", "1:0,-0:1", "unknown-cell", "-0:1"),
        ("0:0", "1:0,1234567:0", "unknown-cell", "1234567:0"),
        ("", "1:0", "off-origin", "1:0"),
        ("", "0:0,1:0", "one-stone", "1:0"),
        ("0:0", "1:0", "two-stones", "1:0"),
        ("0:0", "0:0,1:0", "occupied", "0:0"),
        ("0:0", "1:0,0:0", "occupied", "0:0"),
        ("0:0", "1:0,1:0", "same-cell", "1:0"),
        ("0:0", "9:0,1:0", "out-of-range", "9:0"),
        ("0:0", "5:4,1:0", "out-of-range", "5:4"),
        ("0:0", "1:0,0:-9", "out-of-range", "0:-9"),
        (FIVE, "5:0,6:0", "one-stone", "6:0"),
        (FIVE + " 5:0", "9:9,9:9", "game-over", None),
    ],
)
def test_refusals(turns: str, turn: str, rule: str, where: str | None) -> None:
    position = played(turns)
    with pytest.raises(engine.IllegalTurn) as caught:
        position.play(turn)
    assert (caught.value.rule, caught.value.where) == (rule, where)


def test_blanks_are_accepted_and_the_order_of_the_stones_is_kept() -> None:
    assert played("0:0").play(" 3:-1, -2:0 ").turns == ("0:0", "3:-1,-2:0")


def test_the_first_stone_reaches_cells_for_the_second() -> None:
    position = played("0:0")
    assert position.is_legal("8:0,16:0")
    assert not position.is_legal("16:0,8:0")


@pytest.mark.parametrize("turn", ["5:0", "-1:0", "6:0,5:0", "-2:0,-1:0", "2:2,5:0"])
def test_six_in_a_row_win_by_the_first_stone_or_the_second(turn: str) -> None:
    last = played(FIVE).play(turn)
    assert (last.over, last.winner) == (True, 1)
    assert list(last.legal_turns()) == []
    assert last.choices().legal == ()


@pytest.mark.parametrize(("dq", "dr"), [(1, 0), (0, 1), (1, -1)])
@pytest.mark.parametrize("length", [6, 7, 11])
def test_overlines_win_on_all_three_axes(dq: int, dr: int, length: int) -> None:
    """The stone that joins is placed last; the other player's stones lie elsewhere."""
    row = [f"{n * dq}:{n * dr}" for n in range(length)]
    gap = length // 2
    own = [*row[1:gap], *row[gap + 1 :]]
    turns = [row[0]]
    theirs = (f"{-q - 2}:{-q - 2 * r}" for q in range(3) for r in range(4))
    own.append(row[gap])
    for at in range(0, len(own), 2):
        turns += [",".join([next(theirs), next(theirs)]), ",".join(own[at : at + 2])]
    last = played(" ".join(turns))
    assert (last.winner, last.scores[0]) == (1, length)


def test_no_turn_follows_the_cap() -> None:
    position = played("0:0 1:0,2:0", cap=3)
    assert not position.over
    last = position.play("0:1,0:2")
    assert (last.over, last.winner, last.scores) == (True, None, (3, 2))


def test_a_win_on_the_last_turn_is_a_win() -> None:
    assert played(FIVE, cap=7).play("5:0").winner == 1


def test_what_may_be_chosen() -> None:
    start = played("").choices()
    assert (start.legal, start.illegal, start.may_pass) == (("0:0",), {}, False)
    first = played("0:0").choices()
    assert len(first.legal) == 216
    assert {cell: why.rule for cell, why in first.illegal.items()} == {"0:0": "occupied"}
    second = played("0:0").choices(["8:0"])
    assert "16:0" in second.legal
    assert not second.complete
    assert {cell: why.rule for cell, why in second.illegal.items()} == {
        "0:0": "occupied",
        "8:0": "same-cell",
    }
    whole = played("0:0").choices(["8:0", "16:0"])
    assert (whole.legal, whole.complete) == ((), True)
    won = played(FIVE).choices(["5:0"])
    assert (won.legal, won.complete) == ((), True)
    assert {why.rule for why in won.illegal.values()} == {"one-stone"}
    wrong = played("0:0").choices(["9:0"])
    assert (wrong.legal, wrong.complete) == ((), False)


def test_random_turns_are_uniform_over_the_legal_cells() -> None:
    """The second stone of a turn, among 216 legal cells around 0:0 and their like around 8:0."""
    position, chance = played("0:0"), random.Random(1)
    drawn = {position.random_turn(chance).split(",")[0] for _ in range(2500)}
    assert drawn == set(position.choices().legal)


def test_likely_turns_are_near_the_stones_and_legal() -> None:
    position, chance = played("0:0 1:0,2:0"), random.Random(1)
    near = set(position.shown_board.cells)
    for _ in range(20):
        turn = position.likely_turn(chance)
        assert position.is_legal(turn)
        assert turn.split(",")[0] in near
    assert played(FIVE).likely_turn(chance) in {"5:0", "-1:0"}
    assert played("").likely_turn(chance) == "0:0"


def test_the_shown_board_has_the_cells_around_the_stones() -> None:
    assert len(played("").shown_board.cells) == 19
    position = played("0:0 8:0,8:8")
    shown = position.shown_board
    assert len(shown.cells) == 57
    assert position.stones.keys() <= set(shown.cells)
    assert shown.is_bounded
    for cell in shown.cells:
        around = [name for name in position.game.board.neighbours(cell) if name in shown]
        assert list(shown.neighbours(cell)) == around
        assert shown.position(cell) == position.game.board.position(cell)


def test_the_board_has_no_edge() -> None:
    board = engine.game("hexo").board
    assert (board.is_bounded, board.cells) == (False, ())
    assert "1000:-70" in board
    assert "1000" not in board
    assert board.neighbours("2:3") == ("3:3", "3:2", "2:2", "1:3", "1:4", "2:4")
    assert board.position("2:0") == (2, 0)
    x, y = board.position("0:2")
    assert x == 1
    assert y < 0
    with pytest.raises(KeyError):
        board.position("a1")
