"""Which cells a convolution reads."""

import math

import numpy as np
import pytest

import engine
from engine.kernel.generic import Array
from engine.neural.geometry import RINGS, STATIC, static_planes, taps

BOARDS = [
    ("bluestone", "pent-6"),
    ("bluestone", "hexhex-4"),
    ("blooms", "hexhex-5"),
    ("stargazers", "stars-39"),
]


@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_a_cell_reads_itself_and_each_of_its_neighbours_once(name: str, board: str) -> None:
    shape = engine.game(name, board=board).board
    for cell, read in enumerate(taps(shape).tolist()):
        assert read[0] == cell
        assert sorted(other for other in read[1:] if other >= 0) == sorted(shape.adjacency[cell])


@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_rotating_the_board_rotates_the_taps(name: str, board: str) -> None:
    shape = engine.game(name, board=board).board
    read = taps(shape)
    away = [cell for cell, place in enumerate(shape.positions) if math.hypot(*place) > 0.1]
    turned = [image for image in shape.symmetries if reads_alike(read, image, away)]
    folds = {"pent": 5, "hexhex": 3 if name == "bluestone" else 6, "stars": 3}[shape.kind]
    assert len(turned) == folds


def test_the_edge_differs_from_the_inside() -> None:
    board = engine.game("bluestone", board="pent-6").board
    planes = static_planes(board)
    assert planes.shape == (76, STATIC)
    depth = planes[:, 2:].sum(1)
    assert (depth[list(board.perimeter)] == 0).all()
    assert depth[0] == RINGS


def reads_alike(read: Array, image: tuple[int, ...], cells: list[int]) -> bool:
    """Whether the cells read, from where a symmetry brings them, the images of what they read."""
    moved = np.where(read < 0, -1, np.array(image)[np.maximum(read, 0)])
    return bool((moved[cells] == read[[image[cell] for cell in cells]]).all())
