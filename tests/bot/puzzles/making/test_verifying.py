"""Verification: a puzzle whose solution is the best turn passes, others fail with a reason."""

import pytest

import engine
from bot.puzzles.making.verifying import NOT_UNIQUE, OTHER_TURN, sample, verified, verify
from engine.players.judge import Judge
from tests.bot.puzzles.samples import SOLUTION, TURNS, sample_puzzle


def test_a_sound_puzzle_passes() -> None:
    (found,) = verify([sample_puzzle()], 300, seed=2)
    assert found.failure is None
    assert (found.turn, found.chance) == (SOLUTION, 1.0)
    assert found.without < 0.65


@pytest.mark.parametrize(
    ("turns", "solution", "failure"),
    [
        (TURNS, "-1:0,0:1", OTHER_TURN),
        ((*TURNS[:1], "8:0,5:4", *TURNS[2:]), None, NOT_UNIQUE),
    ],
)
def test_an_unsound_puzzle_fails(
    turns: tuple[str, ...], solution: str | None, failure: str
) -> None:
    judge = Judge(engine.game("hexo"), seed=2, megabytes=32)
    position = engine.game("hexo").replay(turns)
    best = judge.judge(position, 300).best.turn
    puzzle = sample_puzzle().model_copy(update={"turns": turns, "solution": solution or best})
    assert verified(judge, puzzle, 3000).failure == failure


def test_a_puzzle_that_fails_is_mended_or_left_out() -> None:
    judge = Judge(engine.game("hexo"), seed=2, megabytes=32)
    wrong = sample_puzzle().model_copy(update={"solution": "-1:0,0:1"})
    assert verified(judge, wrong, 300).mended is None
    two = sample_puzzle().model_copy(update={"turns": (*TURNS[:1], "8:0,5:4", *TURNS[2:])})
    best = judge.judge(two.position, 300).best.turn
    mended = verified(judge, two.model_copy(update={"solution": best}), 300).mended
    assert mended is not None
    assert mended.answers
    assert verified(judge, mended, 300).failure is None


def test_a_sample_has_each_puzzle_once() -> None:
    puzzles = [sample_puzzle().model_copy(update={"rating": number}) for number in range(9)]
    drawn = sample(puzzles, 5, seed=1)
    assert len({each.rating for each in drawn}) == 5
    assert drawn == sample(puzzles, 5, seed=1)
    assert len(sample(puzzles, 60, seed=1)) == 9
