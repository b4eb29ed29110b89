"""The judge: equal searches of positions, with turns left out and with the time to a solution."""

import random

import pytest

import engine
from engine.game import Position
from engine.players.judge import Judge

PLAYOUTS = 400
FIVE_TO_COME = ("0:0", "4:0,5:4", "1:0,2:0", "6:6,7:6", "3:0,-7:3")
"""Black has four in a row, which only two stones on one side can make six."""


def late(game: engine.Game, left: int, seed: int = 3) -> Position:
    """Return a position of a random game with at most `left` legal turns."""
    chance, position = random.Random(seed), game.start()
    while len(list(position.legal_turns())) > left:
        position = position.play(position.random_turn(chance))
    assert not position.over
    return position


def test_equal_searches_judge_equally_whatever_was_searched_before() -> None:
    game = engine.game("bluestone", "pent-3")
    position = game.start().play("0-0")
    judge = Judge(game, megabytes=16)
    first = judge.judge(position, PLAYOUTS)
    judge.judge(position.play("2-0,2-5"), PLAYOUTS)
    judge.judge(position, PLAYOUTS, excluded=(first.best.turn,))
    assert judge.judge(position, PLAYOUTS) == first
    assert first.playouts == PLAYOUTS


@pytest.mark.parametrize(
    ("name", "board"),
    [("bluestone", "pent-3"), ("blooms", "hexhex-4"), ("stargazers", "stars-39")],
)
def test_an_excluded_turn_is_left_out_in_both_orders(name: str, board: str) -> None:
    game = engine.game(name, board)
    position = game.start()
    position = position.play(position.random_turn(random.Random(1)))
    judge = Judge(game, megabytes=16)
    best = judge.judge(position, PLAYOUTS).best.turn
    others = judge.judge(position, PLAYOUTS, excluded=(best,)).candidates
    assert len(others) > 1
    excluded = position.play(best).stones
    assert all(position.play(each.turn).stones != excluded for each in others)


def test_turns_of_one_stone_can_be_excluded() -> None:
    game = engine.game("bluestone", "pent-3", rules="abstractplay")
    judge = Judge(game, megabytes=16)
    after = game.start().play("0-0")
    found = judge.judge(after, PLAYOUTS, excluded=("2-0",), count=1000).candidates
    assert "2-0" not in {each.turn for each in found}
    assert any("2-0" in each.turn for each in found)


def test_the_last_turn_left_is_found_and_none_if_all_are_excluded() -> None:
    position = late(engine.game("bluestone", "pent-3"), 12)
    judge = Judge(position.game, megabytes=16)
    after = {frozenset(position.play(each).stones): each for each in position.legal_turns()}
    only, *others = after.values()
    found = judge.judge(position, PLAYOUTS, excluded=tuple(others)).candidates
    assert [position.play(each.turn).stones for each in found] == [position.play(only).stones]
    assert judge.judge(position, PLAYOUTS, excluded=(only, *others)).candidates == ()


def test_without_the_only_winning_turn_a_won_position_is_lost() -> None:
    game = engine.game("hexo")
    position = game.replay([*FIVE_TO_COME, "7:7,9:9"])
    judge = Judge(game, megabytes=32)
    best = judge.judge(position, 200).best
    assert (best.turn, best.result) == ("-2:0,-1:0", 1.0)
    others = judge.judge(position, 200, excluded=(best.turn,)).candidates
    assert all(each.result != 1.0 for each in others)


def test_a_solution_that_the_search_never_chooses_is_not_found() -> None:
    game = engine.game("bluestone", "pent-3")
    judge = Judge(game, megabytes=16)
    position = game.start().play("0-0")
    best = judge.judge(position, 1024).best.turn
    worst = judge.judge(position, 1024, count=1000).candidates[-1].turn
    since = judge.found_after(position, best, 1024)
    assert since is None or since in {8 << doubling for doubling in range(8)}
    assert judge.found_after(position, worst, 1024) is None


def test_a_win_by_force_is_found_without_the_prover_as_well() -> None:
    game = engine.game("hexo")
    position = game.replay([*FIVE_TO_COME, "7:7,9:9"])
    assert Judge(game, megabytes=32).found_after(position, "-1:0,-2:0", 512) is not None
