"""Why turns of Stargazers are refused: each rule by its code, the cell, and a sentence."""

import pytest

import engine
from engine.boards.stars import BOARDS, star_board

pytestmark = pytest.mark.uncompiled


@pytest.mark.parametrize(
    ("played", "turn", "rule", "where"),
    [
        ("", "z9", "unknown-cell", "z9"),
        ("", "", "malformed", None),
        ("", "pass", "malformed", None),
        ("i2", "g4,k2,m2", "malformed", None),
        ("", "l1", "star", "l1"),
        ("i2", "k2,g2", "star", "g2"),
        ("", "i2,k2", "one-stone", "k2"),
        ("i2", "i2,k2", "occupied", "i2"),
        ("i2", "k2,i2", "occupied", "i2"),
        ("i2", "k2,k2", "same-cell", "k2"),
        ("i2", "k2", "two-stones", "k2"),
    ],
)
def test_refusals(played: str, turn: str, rule: str, where: str | None) -> None:
    position = engine.game("stargazers").start()
    for each in played.split():
        position = position.play(each)
    with pytest.raises(engine.IllegalTurn) as caught:
        position.play(turn)
    assert (caught.value.rule, caught.value.where) == (rule, where)
    assert not position.is_legal(turn)


def test_one_stone_a_turn_in_the_alternating_protocol() -> None:
    position = engine.game("stargazers", protocol="alternating").start().play("i2")
    with pytest.raises(engine.IllegalTurn, match="every turn is a single stone"):
        position.play("k2,m2")
    assert position.play("k2").to_play == 1


def test_a_cell_that_would_leave_the_stone_uninspired() -> None:
    position = engine.play_out(engine.game("stargazers"), seed=3)
    game, turns = position.game, position.turns
    before = game.start()
    for turn in turns[:-1]:
        before = before.play(turn)
    first = {turn.split(",")[0] for turn in before.legal_turns()}
    dark = [cell for cell in game.board.cells if cell not in before.stones and cell not in first]
    assert dark
    with pytest.raises(engine.IllegalTurn, match="would not be inspired") as caught:
        before.play(dark[0])
    assert (caught.value.rule, caught.value.where) == ("uninspired-cell", dark[0])


def test_nothing_is_legal_after_the_end() -> None:
    with pytest.raises(engine.IllegalTurn, match="the game is over"):
        engine.play_out(engine.game("stargazers")).play("i2")


@pytest.mark.parametrize("board", ["pent-6", "hexhex-5", "stars-66", "stars-12"])
def test_a_board_of_another_game(board: str) -> None:
    with pytest.raises(engine.UnknownGame, match="known: stars-39, stars-63, stars-111"):
        engine.game("stargazers", board=board)


def test_an_unknown_protocol() -> None:
    with pytest.raises(engine.InvalidOption, match="protocol takes one of 122, alternating"):
        engine.game("stargazers", protocol="121")


@pytest.mark.parametrize("board", BOARDS)
def test_boards(board: str) -> None:
    shape = star_board(board)
    assert len(shape.board.cells) == BOARDS[board]
    assert len(shape.board.symmetries) == 3
    assert (
        len(shape.board.stars)
        == len(shape.star_names)
        == {39: 12, 63: 18, 111: 27}[shape.board.size]
    )
    start = engine.game("stargazers", board=board, protocol="alternating").start()
    assert len(list(start.legal_turns())) == BOARDS[board]
    rows = [y for _, y in shape.board.positions]
    assert rows == sorted(rows)
