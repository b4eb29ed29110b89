"""Free Go by hand: refusals, captures, suicide, ko, and the only empty point."""

import pytest

import engine
from engine.boards.square import square_board

pytestmark = pytest.mark.uncompiled


def position(*turns: str, board: str = "square-7", captures: int = 14) -> engine.Position:
    return engine.game("freego", board, captures=captures).replay(turns)


@pytest.mark.parametrize(
    ("played", "turn", "rule", "where"),
    [
        ("", "i1", "unknown-cell", "i1"),
        ("", "a8", "unknown-cell", "a8"),
        ("", "pass", "malformed", None),
        ("", "", "malformed", None),
        ("", "a1,,b1", "malformed", None),
        ("", "a1,b1", "one-stone", "b1"),
        ("a1", "b1,c1", "one-stone", "c1"),
        ("a1", "a1", "occupied", "a1"),
    ],
)
def test_refusals(played: str, turn: str, rule: str, where: str | None) -> None:
    before = position(*played.split())
    with pytest.raises(engine.IllegalTurn) as caught:
        before.play(turn)
    assert (caught.value.rule, caught.value.where) == (rule, where)
    assert not before.is_legal(turn)


def test_a_stone_may_not_retake_at_once() -> None:
    after = position(*["b3", "c3", "a2", "d2", "b1", "c1", "g7", "b2", "c2"])
    assert (after.captured, after.scores) == (("b2",), (1, 0))
    says = "the ko rule: a stone on b2 would capture the stone that has just captured yours"
    with pytest.raises(engine.IllegalTurn, match=says) as caught:
        after.play("b2")
    assert (caught.value.rule, caught.value.where) == ("ko", "b2")
    assert "b2" not in list(after.legal_turns())
    retaken = after.play("g1").play("a7").play("b2")
    assert (retaken.captured, retaken.scores) == (("c2",), (1, 1))


def test_two_stones_may_be_retaken_by_one() -> None:
    """A snapback is no ko: the stone that captures two is not alone what was there before."""
    after = position(*["a2", "a1", "b2", "c1", "c2", "g7", "d1", "g6", "b1"])
    assert after.captured == ("a1", "c1")
    assert set(after.legal_turns()) >= {"a1", "c1"}


def test_suicide_counts_for_the_enemy() -> None:
    after = position(*["g7", "a2", "g6", "b1", "a1"])
    assert "a1" not in after.stones
    assert after.captured == ("a1",)
    assert (after.scores, after.to_play) == ((0, 1), 2)
    assert after.is_legal("a1")


def test_an_enemy_group_dies_before_the_own() -> None:
    """The stone at a1 has no liberty until the stone at a2 is captured."""
    after = position(*["b2", "a2", "a3", "b1", "a1"])
    assert (after.captured, after.scores) == (("a2",), (1, 0))
    assert after.stones["a1"] == engine.Stone(1, 1)


def test_the_first_with_enough_captures_wins() -> None:
    won = position(*["a2", "a1", "b1"], captures=1)
    assert (won.scores, won.winner, won.over) == ((1, 0), 1, True)
    with pytest.raises(engine.IllegalTurn, match="the game is over"):
        won.play("c3")
    lost = position(*["g7", "a2", "g6", "b1", "a1"], captures=1)
    assert (lost.scores, lost.winner) == ((0, 1), 2)


def test_names_and_dots_are_those_of_go() -> None:
    board = square_board("square-19")
    assert (board.cells[0], board.cells[18], board.cells[-1]) == ("a19", "t19", "t1")
    assert "i5" not in board
    assert sorted(board.cells[dot] for dot in board.dots) == sorted(
        f"{letter}{number}" for letter in "dkq" for number in (4, 10, 16)
    )
    nine = square_board("square-9")
    assert {nine.cells[dot] for dot in nine.dots} == {"c3", "c7", "e5", "g3", "g7"}
    assert len(nine.symmetries) == 8


@pytest.mark.parametrize("name", ["square-4", "square-20", "square-07", "pent-6", "hexhex-4"])
def test_a_board_of_another_game(name: str) -> None:
    with pytest.raises(engine.UnknownGame, match=r"square-N with N = 5\.\.19"):
        engine.game("freego", board=name)
