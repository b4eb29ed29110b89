"""Games of HeXO are found that lead to stones whose order is not known."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from bot.guests.hexo.stones import MOST_STONES, Cell, PartialTurn, TooHard, Unreachable, ordered

GAME = engine.game("hexo")
WALK = ["0:0", "8:0,16:0", "0:8,0:16", "24:0,32:0", "0:24,0:32", "40:0,48:0"]
"""Each side walks away from the origin, on a path of its own."""


def position_of(turns: list[str]) -> engine.Position:
    return GAME.replay(turns)


def stones_by_side(position: engine.Position) -> tuple[list[Cell], list[Cell]]:
    found: dict[int, list[Cell]] = {1: [], 2: []}
    for name, stone in position.stones.items():
        q, r = name.split(":")
        found[stone.player].append((int(q), int(r)))
    return found[1], found[2]


@st.composite
def positions(draw: st.DrawFn) -> engine.Position:
    chance = random.Random(draw(st.integers(0, 10**6)))
    position = GAME.start()
    for _ in range(draw(st.integers(1, 12))):
        if not position.over:
            position = position.play(position.random_turn(chance))
    return position


@settings(max_examples=40)
@given(positions(), st.randoms(use_true_random=False))
def test_turns_are_found_for_the_stones_of_any_game(
    position: engine.Position, chance: random.Random
) -> None:
    x, o = map(list, stones_by_side(position))
    chance.shuffle(x)
    chance.shuffle(o)
    if position.over:
        return
    found = position_of(ordered(x, o))
    assert found.stones == position.stones
    assert found.to_play == position.to_play


def test_paths_that_lead_away_are_followed_in_their_order() -> None:
    x, o = stones_by_side(position_of(WALK))
    assert position_of(ordered(x[::-1], o[::-1])).stones == position_of(WALK).stones


def test_a_path_through_the_stones_of_the_opponent_is_found() -> None:
    turns = ["0:0", "8:0,0:8", "16:0,-8:0", "24:0,1:1", "32:0,2:2", "40:0,3:3"]
    x, o = stones_by_side(position_of(turns))
    assert position_of(ordered(x[::-1], o[::-1])).stones == position_of(turns).stones


@pytest.mark.parametrize(
    ("x", "o", "error", "message"),
    [
        ([], [], Unreachable, r"at \[0,0\] is missing"),
        ([(0, 0)], [(0, 0), (1, 0)], Unreachable, "two stones"),
        ([(0, 0), (1, 0), (2, 0)], [], Unreachable, "x has 3 stones and o has 0"),
        ([(0, 0)], [(1, 0)], PartialTurn, "one stone of a turn"),
        ([(0, 0), (1, 0)], [], Unreachable, "x has 2 stones"),
        ([(0, 0)], [(1, 0), (10, 0)], Unreachable, "within 8 cells"),
        ([(n, 0) for n in range(MOST_STONES + 1)], [], TooHard, "more than 1024"),
    ],
)
def test_stones_of_no_game_are_refused(
    x: list[Cell], o: list[Cell], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ordered(x, o)


def test_a_hard_set_of_stones_ends_within_the_limit() -> None:
    """Many arms of stones, of which only one order of arms would do."""
    x = [(0, 0)] + [(8 * n, 0) for n in range(1, 129)]
    o = [(0, 8 * n) for n in range(1, 129)]
    with pytest.raises((Unreachable, TooHard)):
        ordered([*x, (0, -2000), (0, -2008)], [*o, (-2000, 0), (-2008, 0)])
