"""The stand-in's own rules of HeXO agree with the engine's, which it does not use."""

import random

import pytest

import engine
from bot.guests.hexo_arena.rehearsal.board import (
    IllegalStone,
    Point,
    SimulatedBoard,
    opening,
    reply,
)


def text(pieces: list[Point]) -> str:
    return ",".join(f"{q}:{r}" for q, r in pieces)


@pytest.mark.parametrize("seed", range(6))
def test_games_go_as_the_engine_says(seed: int) -> None:
    """A turn whose first stone wins has one stone there, and two here."""
    rng = random.Random(seed)
    board, turns = opening(rng.choice((1, 3, 5, 7, 9)), rng)
    position = engine.game("hexo").start().play("0:0")
    for side, pieces in turns:
        assert position.to_play == (1 if side == "x" else 2)
        position = position.play(text(pieces))
    while board.winner is None and len(board.stones) < 200:
        assert position.to_play == (1 if board.to_move == "x" else 2)
        pieces = reply(board, rng, skill=0.5)
        before = len(board.stones)
        board.play(pieces)
        position = position.play(text(pieces[: len(board.stones) - before]))
        assert position.over == (board.winner is not None)
    if board.winner is not None:
        assert position.winner == (1 if board.winner == "x" else 2)


@pytest.mark.parametrize("pieces", [[(0, 0), (1, 0)], [(1, 0), (1, 0)], [(9, 0), (1, 0)]])
def test_stones_that_lose_the_game_are_found(pieces: list[Point]) -> None:
    with pytest.raises(IllegalStone):
        SimulatedBoard().play(pieces)


def test_the_second_stone_is_not_looked_at_after_a_win() -> None:
    board = SimulatedBoard()
    for turn in ([(1, 0), (2, 0)], [(0, 1), (0, 2)], [(3, 0), (4, 0)], [(0, 3), (0, 4)]):
        board.play(turn)
    board.play([(-3, 0), (-4, 0)])
    board.play([(0, 5), (0, 0)])
    assert board.winner == "x"


def test_an_opening_says_who_moves_first() -> None:
    rng = random.Random(1)
    movers = {plies: opening(plies, rng)[0].to_move for plies in (1, 3, 5, 7, 9)}
    assert movers == {1: "o", 3: "x", 5: "o", 7: "x", 9: "o"}
