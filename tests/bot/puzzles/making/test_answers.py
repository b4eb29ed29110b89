"""All right answers of a puzzle: every turn that wins by force is one of them."""

import pytest

import engine
from bot.puzzles import library
from bot.puzzles.making.answers import answers_of
from bot.puzzles.making.forcing import winning_turns
from engine.players.judge import Judge
from tests.bot.puzzles.samples import ENDGAME, ENDGAME_SOLUTION, SOLUTION, TURNS

HEXO = engine.game("hexo")


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(HEXO, megabytes=32)


@pytest.mark.parametrize(
    ("puzzle_id", "turn"),
    [("rskxkaw2p7", "-1:8,-4:8"), ("pjpctzvnbv", "4:-1,3:0")],
)
def test_a_win_by_force_that_short_searches_do_not_see_is_a_right_answer(
    judge: Judge, puzzle_id: str, turn: str
) -> None:
    puzzle = library.find(puzzle_id)
    assert puzzle is not None
    stones = puzzle.position.play(turn).stones
    found = winning_turns(judge, puzzle.position)
    assert any(puzzle.position.play(each).stones == stones for each in found)
    assert puzzle.is_solved_by(turn)


def test_six_in_a_row_is_a_right_answer_in_every_way(judge: Judge) -> None:
    position = HEXO.replay(TURNS)
    assert SOLUTION in [position.play(turn).turns[-1] for turn in winning_turns(judge, position)]


def test_on_a_board_with_an_edge_every_turn_is_searched() -> None:
    game = engine.game("bluestone", "pent-4")
    judge, position = Judge(game, megabytes=16), game.replay(ENDGAME)
    found = answers_of(judge, position, (ENDGAME_SOLUTION,), 300, least=0.65)
    assert found.right == ()
    assert found.wrong is not None
    other = answers_of(judge, position, (found.wrong.turn,), 300, least=0.65)
    assert ENDGAME_SOLUTION in other.right
