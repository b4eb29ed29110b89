"""What a network knows of a board: which cells a convolution reads, and what never changes there.

A convolution reads a cell and its six neighbours, clockwise from the direction that points away
from the middle, so that the same weights serve every sector of a board, and boards of every size.
"""

import math
from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.boards.grid import Board, Point

TAPS: Final = 7
"""The cell itself, then its neighbours."""
RINGS: Final = 4
"""How many steps from the edge of the board are told apart."""
STATIC: Final = RINGS + 2
"""Numbers of `static_planes` a cell."""


def taps(board: Board) -> NDArray[np.int32]:
    """The cells that each cell's convolution reads, shape (n_cells, TAPS); -1 for outside."""
    found = np.full((len(board.cells), TAPS), -1, np.int32)
    for cell, around in enumerate(board.adjacency):
        found[cell, 0] = cell
        for other, place in zip(around, _places(board, cell), strict=True):
            found[cell, 1 + place] = other
    return found


def _places(board: Board, cell: int) -> list[int]:
    """Where each neighbour stands among the six that a cell inside the board has."""
    around = board.adjacency[cell]
    if board.kind == "pent":
        # The grid is bent along the lines to the corners: neighbours are counted, not measured.
        # Missing ones lie outside, as many before the first as behind the last.
        return [index + (6 - len(around)) // 2 for index in range(len(around))]
    start = board.positions[cell]
    lattice = sorted(_bearing((math.cos(a), math.sin(a)), start) for a in _lattice_angles(board))
    bearings = [
        _bearing(
            (board.positions[other][0] - start[0], board.positions[other][1] - start[1]), start
        )
        for other in around
    ]
    return [min(range(6), key=lambda i: abs(lattice[i] - bearing)) for bearing in bearings]


def _lattice_angles(board: Board) -> list[float]:
    """The six directions in which a hexagonal board has neighbours."""
    first = board.adjacency[0][0]
    (ax, ay), (bx, by) = board.positions[0], board.positions[first]
    angle = math.atan2(by - ay, bx - ax)
    return [angle + math.pi / 3 * turn for turn in range(6)]


def _bearing(towards: Point, outward: Point) -> float:
    """The clockwise angle from outward, in (0, 2 pi], as `Board.adjacency` counts it."""
    turn = math.atan2(towards[1], towards[0]) - math.atan2(outward[1], outward[0])
    return (turn - 1e-6) % math.tau


def static_planes(board: Board) -> NDArray[np.float32]:
    """What never changes on each cell, shape (n_cells, STATIC).

    Blue stones and stars beside it, in thirds, and 1 for each ring that it is away from the edge.
    """
    planes = np.zeros((len(board.cells), STATIC), np.float32)
    for stone in board.blue_stones:
        planes[list(stone.touches), 0] += 1 / 3
    for cell, place in enumerate(board.positions):
        planes[cell, 1] = sum(math.dist(place, star) < 1.1 for star in board.stars) / 3
    depth = _depths(board)
    for ring in range(RINGS):
        planes[:, 2 + ring] = depth > ring
    return planes


def _depths(board: Board) -> NDArray[np.int64]:
    """How many steps each cell is away from those with the fewest neighbours that make the edge."""
    inside = 5 if board.kind == "pent" else 6
    stars = [sum(math.dist(place, star) < 1.1 for star in board.stars) for place in board.positions]
    degrees = [len(around) + star for around, star in zip(board.adjacency, stars, strict=True)]
    edge = [cell for cell, degree in enumerate(degrees) if degree < inside]
    depth, waiting = dict.fromkeys(edge, 0), deque(edge)
    while waiting:
        cell = waiting.popleft()
        for other in board.adjacency[cell]:
            if other not in depth:
                depth[other] = depth[cell] + 1
                waiting.append(other)
    return np.array([depth.get(cell, 0) for cell in range(len(degrees))])
