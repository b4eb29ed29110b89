"""The window of the board that the kernel sees, and the way from cells to codes and back."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.boards.plane import Cell, cells_within
from engine.games.hexo.frame import INNER, RECENT, HexoFrame, frame_of
from engine.games.hexo.state import RADIUS
from engine.search.searcher import Searcher

quickly = settings(derandomize=True, max_examples=50)
CELLS = st.tuples(st.integers(-500, 500), st.integers(-500, 500))


@quickly
@given(centre=CELLS, cells=st.lists(CELLS, min_size=1, max_size=2, unique=True))
def test_codes_and_cells_are_the_same_steps(centre: Cell, cells: list[Cell]) -> None:
    frame = HexoFrame(centre)
    near = [(centre[0] + q % (RADIUS + 1), centre[1] - r % (RADIUS + 1)) for q, r in cells]
    turn = ",".join(f"{q}:{r}" for q, r in near)
    steps = frame.steps_of(turn)
    assert steps is not None
    assert ",".join(map(frame.step_name, steps)) == turn


def frame_at(cells: list[Cell]) -> HexoFrame:
    """The frame of a position in which the stones make no threats."""
    return frame_of({cell: 1 + number % 2 for number, cell in enumerate(cells)}, 1)


def test_a_turn_that_leaves_the_window_has_no_steps() -> None:
    frame = HexoFrame((100, 0))
    assert frame.steps_of(f"{100 + RADIUS}:0,100:{-RADIUS}") is not None
    assert frame.steps_of(f"100:0,{101 + RADIUS}:0") is None


@quickly
@given(seed=st.integers(0, 2**32), reach=st.integers(1, 8))
def test_the_window_holds_the_last_stone_and_its_neighbourhood(seed: int, reach: int) -> None:
    """Stones wander off, each within `reach` of one of the last nine, while the last ones fit."""
    chance, stones = random.Random(seed), [(0, 0)]
    for _ in range(150):
        near = sorted(cells_within(reach, stones[-9:]).difference(stones))
        stones.append(chance.choice(near))
        frame = frame_at(stones)
        if any(max(axis) - min(axis) > 2 * INNER for axis in zip(*stones[-RECENT:], strict=True)):
            return
        for q, r in cells_within(2, stones[-1:]):
            assert frame.code((q, r)) is not None


def test_the_window_stays_until_a_stone_comes_near_its_edge() -> None:
    inner = [(0, 0), (INNER, 0), (0, -INNER), (-INNER, 0)]
    assert frame_at(inner) == HexoFrame((0, 0))
    assert frame_at([*inner, (1, 0), (0, 1)]) == HexoFrame((0, 0))
    walk = [(q, 0) for q in range(INNER + 2)]
    assert frame_at(walk) == HexoFrame(((INNER + 1) // 2, 0))


def test_the_window_follows_the_last_stones() -> None:
    walk = [(4 * n, 0) for n in range(100)]
    centre, _ = frame_at(walk).centre
    recent = [q for q, _ in walk[-RECENT:]]
    assert min(recent) <= centre <= max(recent)
    assert abs(centre - walk[-1][0]) <= INNER


def test_a_player_who_walks_away_does_not_take_the_window_along() -> None:
    """Twenty stones at home and twenty on the way, one each in turn."""
    home = [(q, r) for q in range(5) for r in range(10)]
    away = [(8 * n, 0) for n in range(2, 52)]
    stones = [cell for pair in zip(home, away, strict=True) for cell in pair]
    frame = frame_at(stones)
    assert all(frame.code(cell) is not None for cell in home)


def test_the_window_goes_where_a_line_can_be_completed() -> None:
    """Beyond the window of most stones: first the mover's own line, then the opponent's."""
    home = {(3 * (n % 6), 3 * (n // 6)): 1 + n % 2 for n in range(36)}
    for owner in (1, 2):
        line = dict.fromkeys([(100, 0), (101, 0), (103, 0), (105, 0)], owner)
        for stones in ({**line, **home}, {**home, **line}):
            frame = frame_of(stones, 1)
            assert all(frame.code(cell) is not None for cell in line)
            assert frame.code((0, 0)) is None
    blocked = {**home, (100, 0): 2, (101, 0): 2, (102, 0): 1, (103, 0): 2, (104, 0): 2}
    assert frame_of(blocked, 1).code((0, 0)) is not None


def test_a_win_in_the_window_comes_before_a_threat_beyond_it() -> None:
    home = {(3 * (n % 6), 3 * (n // 6)): 1 + n % 2 for n in range(36)}
    own = dict.fromkeys([(0, -4), (1, -4), (2, -4), (3, -4)], 1)
    theirs = dict.fromkeys([(100, 0), (101, 0), (102, 0), (103, 0)], 2)
    assert frame_of({**own, **theirs, **home}, 1).code((0, -4)) is not None
    assert frame_of({**own, **theirs, **home}, 2).code((100, 0)) is not None


def walked_game(chance: random.Random, turns: int) -> engine.Position:
    position = engine.game("hexo", cap=0).start().play("0:0")
    while len(position.turns) < turns and not position.over:
        position = position.play(position.random_turn(chance))
    return position


def test_what_the_kernel_calls_legal_is_legal() -> None:
    chance = random.Random(3)
    for turns in (1, 5, 9, 20, 40):
        position = walked_game(chance, turns)
        mechanics, record = position.game.mechanics, position.record()
        legal = set(position.choices().legal)
        named = {position.frame.step_name(step) for step in mechanics.steps(record)}
        assert named <= legal
        if all(position.frame.steps_of(cell) for cell in position.stones):
            assert named == {cell for cell in legal if position.frame.steps_of(cell)}
        assert {position.frame.step_name(s) for s in mechanics.promising_steps(record)} <= named
        assert (record["player"], record["turn"]) == (position.to_play, position.turn_number)


def test_a_record_has_the_stones_of_the_window() -> None:
    position = walked_game(random.Random(7), 60)
    record, frame = position.record(), position.frame
    seen = {cell: steps[0] for cell in position.stones if (steps := frame.steps_of(cell))}
    assert len(seen) == record["n_stones"] < len(position.stones)
    for cell, code in seen.items():
        assert record["cells"][code] == position.stones[cell].player


def test_a_record_of_a_finished_game_says_so() -> None:
    last = engine.game("hexo").replay(
        ["0:0", "0:5,1:5", "1:0,2:0", "0:7,1:7", "3:0,-6:0", "9:0,9:1", "4:0,5:0"]
    )
    assert (last.record()["over"], last.record()["winner"]) == (1, last.winner)


def searched(position: engine.Position) -> Searcher:
    searcher = Searcher(position.game, megabytes=8, threads=1, seed=1)
    searcher.move_to(position)
    searcher.grow(300)
    return searcher


def test_the_tree_is_kept_while_the_window_stays() -> None:
    position = engine.game("hexo").replay(["0:0", "1:0,1:1"])
    searcher = searched(position)
    best = searcher.candidates(1)[0].turn
    assert searcher.move_to(position.play(best)) > 0


def test_the_tree_is_not_kept_when_the_window_moves() -> None:
    """The same codes would mean other cells."""
    position = engine.game("hexo").replay(["0:0", "8:0,16:0"])
    searcher = searched(position)
    moved = position.play("17:0,18:1")
    assert moved.frame == position.frame
    moved = position.play("17:0,19:0")
    assert moved.frame != position.frame
    assert searcher.move_to(moved) == 0
    searcher.grow(300)
    assert all(moved.is_legal(found.turn) for found in searcher.candidates(5))


def test_a_turn_beyond_the_window_is_answered_within_it() -> None:
    stones = [f"{8 * n}:0,{8 * n + 8}:0" for n in range(1, 81, 2)]
    position = engine.game("hexo").replay(["0:0", *stones])
    found = searched(position).candidates(1)[0]
    assert position.is_legal(found.turn)
