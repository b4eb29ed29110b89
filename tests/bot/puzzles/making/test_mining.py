"""A game of Bluestone in which White makes a mistake near the end, searched with few playouts."""

from dataclasses import replace

import pytest

import engine
from bot.puzzles.making.mining import KEPT, Demands, SwingCandidate, candidates_of, winning_line
from engine.players.judge import Judge
from tests.bot.puzzles.samples import ENDGAME, ENDGAME_SOLUTION, TURNS

GAME = engine.game("bluestone", "pent-4")
FEW = Demands(playouts=300, again=2, first_ply=12, screen=60, sight=100, short=150)


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(GAME, megabytes=16)


def searched(judge: Judge, demands: Demands, *more: str) -> list[SwingCandidate]:
    return list(candidates_of(GAME, (*ENDGAME, *more), "sample/1", judge, demands))


def test_the_position_after_the_mistake_is_a_puzzle(judge: Judge) -> None:
    (found,) = searched(judge, FEW)
    assert (found.ply, found.reason) == (len(ENDGAME), KEPT)
    puzzle = found.puzzle
    assert puzzle is not None
    assert (puzzle.board, puzzle.turns, puzzle.source) == ("pent-4", ENDGAME, "sample/1")
    assert puzzle.is_solved_by(ENDGAME_SOLUTION)
    assert puzzle.chance - puzzle.second >= 0.4
    assert puzzle.chance - puzzle.before >= 0.5
    assert "endgame" in puzzle.themes
    assert found.figures["swing"] >= 0.5
    puzzle.position.game.replay((*puzzle.turns, puzzle.solution, *puzzle.line))


@pytest.mark.parametrize(
    ("demands", "reason"),
    [
        (replace(FEW, sight_gap=1.01), "not_unique_at_first_sight"),
        (replace(FEW, short_swing=1.01), "no_swing_at_first_sight"),
        (replace(FEW, short_gap=1.01), "not_unique_in_short"),
        (replace(FEW, swing=1.01), "no_swing"),
        (replace(FEW, gap=1.01), "not_unique"),
        (replace(FEW, firm_gap=1.01), "not_unique_again"),
    ],
)
def test_each_demand_refuses_with_its_reason(judge: Judge, demands: Demands, reason: str) -> None:
    (found,) = searched(judge, demands)
    assert (found.reason, found.puzzle) == (reason, None)


def test_positions_before_the_first_ply_are_no_candidates(judge: Judge) -> None:
    assert searched(judge, replace(FEW, first_ply=14)) == []


def test_the_next_plies_of_a_puzzle_are_left_out(judge: Judge) -> None:
    found = searched(judge, replace(FEW, screen_swing=-1.0), ENDGAME_SOLUTION)
    assert [each.ply for each in found] == [12, 13]


def test_a_win_by_force_is_played_to_its_end() -> None:
    game = engine.game("hexo")
    judge = Judge(game, megabytes=32)
    open_four = game.replay((*TURNS[:1], "8:0,5:4", *TURNS[2:5]))
    line = winning_line(judge, open_four.play("-5:5,8:8"), winner=1)
    assert line is not None
    assert len(line) == 1
    assert winning_line(judge, open_four.play("-5:5,8:8"), winner=2) is None
