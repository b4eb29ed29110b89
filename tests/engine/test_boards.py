"""Boards, checked against the rules page and against a construction of their own."""

import math
from itertools import pairwise

import pytest

from engine import UnknownGame
from engine.boards.grid import SIZES, Board, board
from tests.engine.games.bluestone.reference import reference_board

EVERY = [f"{kind}-{size}" for kind, sizes in SIZES.items() for size in sizes]
USUAL = ["pent-3", "pent-6", "pent-7", "pent-8", "limping-3", "limping-7", "hexhex-3", "hexhex-7"]


def neighbours(name: str, cell: str) -> set[str]:
    return set(board(name).neighbours(cell))


def test_the_checks_of_the_rules_page() -> None:
    assert neighbours("pent-6", "5-0") == {"4-0", "5-1", "5-24"}
    assert neighbours("pent-6", "4-4") == {"3-3", "4-3", "4-5", "5-4", "5-5", "5-6"}
    assert neighbours("pent-6", "2-0") == {"1-0", "2-1", "2-9", "3-0", "3-1", "3-14"}
    assert sum(map(len, board("pent-6").adjacency)) == 2 * 200


@pytest.mark.parametrize(
    ("name", "cells", "blue"),
    [
        ("pent-6", 76, 25),
        ("pent-8", 141, 35),
        ("pent-3", 16, 10),
        ("limping-7", 147, 39),
        ("hexhex-7", 127, 39),
        ("hexhex-4", 37, 21),
    ],
)
def test_counts(name: str, cells: int, blue: int) -> None:
    assert len(board(name).cells) == cells
    assert len(board(name).blue_stones) == blue


@pytest.mark.parametrize("name", EVERY)
def test_every_board_is_the_graph_that_the_rules_describe(name: str) -> None:
    built, expected = board(name), reference_board(name)
    assert {cell: frozenset(built.neighbours(cell)) for cell in built.cells} == expected.near
    touched = sorted(sorted(built.cells[c] for c in stone.touches) for stone in built.blue_stones)
    assert touched == sorted(map(sorted, expected.blue))
    assert len(built.cells) <= 400
    assert len(built.blue_stones) <= 64


@pytest.mark.parametrize("name", USUAL)
def test_neighbours_are_in_rotational_order(name: str) -> None:
    """Each neighbour touches the next; only round an inner cell does the last touch the first."""
    shape = board(name)
    for cell, around in enumerate(shape.adjacency):
        touching = [b in shape.adjacency[a] for a, b in pairwise(around)]
        assert all(touching)
        assert (around[0] in shape.adjacency[around[-1]]) == (cell not in shape.perimeter)


@pytest.mark.parametrize("name", USUAL)
def test_the_perimeter_is_a_cycle_with_a_blue_stone_at_each_step(name: str) -> None:
    shape = board(name)
    steps = list(zip(shape.perimeter, (*shape.perimeter[1:], shape.perimeter[0]), strict=True))
    assert all(b in shape.adjacency[a] for a, b in steps)
    assert [stone.touches for stone in shape.blue_stones[: len(steps)]] == steps


def test_blue_stones_of_the_corners_of_a_hexagon() -> None:
    shape = board("hexhex-7")
    corners = [cell for cell in shape.perimeter if len(shape.adjacency[cell]) == 3]
    touched = [sum(cell in stone.touches for stone in shape.blue_stones) for cell in corners]
    assert touched == [3, 2, 3, 2, 3, 2]


@pytest.mark.parametrize(
    ("name", "count"), [("pent-6", 10), ("pent-3", 10), ("limping-7", 6), ("hexhex-7", 6)]
)
def test_symmetries_keep_neighbours_and_blue_stones(name: str, count: int) -> None:
    shape = board(name)
    assert len(set(shape.symmetries)) == count
    assert shape.symmetries[0] == tuple(range(len(shape.cells)))
    stones = {frozenset(stone.touches) for stone in shape.blue_stones}
    for image in shape.symmetries:
        assert {frozenset(image[cell] for cell in stone) for stone in stones} == stones
        for cell, around in enumerate(shape.adjacency):
            assert {image[other] for other in around} == set(shape.adjacency[image[cell]])


@pytest.mark.parametrize("name", USUAL)
def test_drawing_positions(name: str) -> None:
    """Middle at the origin, neighbours about 1 apart, blue stones outside of all cells."""
    shape = board(name)
    for axis in (0, 1):
        assert sum(point[axis] for point in shape.positions) == pytest.approx(0, abs=1e-6)
    apart = [math.dist(p, q) for i, p in enumerate(shape.positions) for q in shape.positions[:i]]
    assert 0.6 < min(apart) <= 1 + 1e-9
    for stone in shape.blue_stones:
        touched = [shape.positions[cell] for cell in stone.touches]
        assert math.hypot(*stone.position) > max(math.hypot(*point) for point in touched) - 0.05
        assert all(math.dist(stone.position, point) < 1.1 for point in touched)


def test_orientation_on_the_screen() -> None:
    """A pentagon stands on a side, its first corner on top; row a of a hexagon is at the bottom."""
    pent, hexagon = board("pent-6"), board("hexhex-4")
    assert pent.position("5-0") == pytest.approx((0, min(y for _, y in pent.positions)))
    assert pent.position("5-1")[0] > 0
    assert hexagon.cells[:5] == ("g1", "g2", "g3", "g4", "f1")
    assert hexagon.cells[-1] == "a4"
    assert hexagon.position("a1")[1] > hexagon.position("g1")[1]
    assert hexagon.position("a1")[0] < hexagon.position("a4")[0]


def test_names() -> None:
    shape: Board = board("limping-3")
    assert shape.index("a1") == len(shape.cells) - 3
    assert "a3" in shape
    assert "a4" not in shape
    with pytest.raises(KeyError):
        shape.neighbours("a4")


@pytest.mark.parametrize(
    "name",
    ["pent-2", "pent-14", "pent-06", "pent", "hexhex-12", "limping-2", "square-8", "", "pent-6 "],
)
def test_boards_that_do_not_exist(name: str) -> None:
    with pytest.raises(UnknownGame, match=r"known: pent-N with N = 3\.\.13"):
        board(name)
