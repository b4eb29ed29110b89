"""A puzzle knows its position, and accepts the solution in either order."""

import pytest

import engine
from bot.puzzles.model import Puzzle, puzzle_fields
from tests.bot.puzzles.samples import TURNS, sample_puzzle


def test_the_position_is_that_after_the_mistake() -> None:
    puzzle = sample_puzzle()
    assert puzzle.position.turns == TURNS
    assert puzzle.position.to_play == puzzle.solver


@pytest.mark.parametrize(
    ("turn", "solved"), [("-2:0,-1:0", True), ("-1:0,-2:0", True), ("-1:0,0:1", False)]
)
def test_both_orders_of_the_solution_solve_it(turn: str, solved: bool) -> None:
    assert sample_puzzle().is_solved_by(turn) is solved


def test_an_illegal_turn_is_refused() -> None:
    with pytest.raises(engine.IllegalTurn):
        sample_puzzle().is_solved_by("0:0,1:1")


def test_its_fields_read_back_without_the_empty_ones() -> None:
    fields = puzzle_fields(sample_puzzle())
    assert not {"options", "line"} & fields.keys()
    assert Puzzle.model_validate(fields) == sample_puzzle()
