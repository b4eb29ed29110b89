"""The second-best turn, and the line of a win by force."""

import pytest

import engine
from bot.puzzles.making.uniqueness import after, compare
from engine.players.judge import Judge
from tests.bot.puzzles.samples import ENDGAME, ENDGAME_SOLUTION, SOLUTION, TURNS

GAME = engine.game("hexo")


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(GAME, megabytes=32)


def test_the_second_best_turn_is_another_turn() -> None:
    board = engine.game("bluestone", "pent-4")
    position, judge = board.replay(ENDGAME), Judge(board, megabytes=16)
    found = compare(judge, position, ENDGAME_SOLUTION, 300, demanded=0.3)
    assert found is not None
    assert (found.best.turn, found.best.chance) == (ENDGAME_SOLUTION, 1.0)
    assert position.play(found.second.turn).stones != position.play(ENDGAME_SOLUTION).stones
    assert found.gap == found.best.chance - found.second.chance
    assert found.gap > 0.3


def test_a_win_at_once_cannot_be_compared_in_hexo(judge: Judge) -> None:
    # There the search considers no turn that does not win.
    assert compare(judge, GAME.replay(TURNS), SOLUTION, 300, demanded=0.3) is None


def test_the_chance_after_the_last_turn_is_the_result(judge: Judge) -> None:
    assert after(judge, GAME.replay(TURNS), SOLUTION, 100) == (1.0, (), True)
