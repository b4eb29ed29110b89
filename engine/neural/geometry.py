"""A network's view of a board: the cells that a convolution reads, and the constant planes.

A convolution reads a cell and its six neighbours, clockwise from the direction that points away
from the middle. So the same weights apply to every sector of a board and to boards of every size.
"""

import math
from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.boards.grid import Board, Point

TAPS: Final = 7
"""The number of cells that a convolution reads: the cell itself, then its six neighbours."""
RINGS: Final = 4
"""The number of planes for the distance from the edge; greater distances are not distinguished."""
STATIC: Final = RINGS + 2
"""The number of planes in `static_planes`."""


def taps(board: Board) -> NDArray[np.int32]:
    """Return the cells that each cell's convolution reads.

    Returns:
        Indices of cells, shape (n_cells, TAPS); -1 for places outside the board.
    """
    found = np.full((len(board.cells), TAPS), -1, np.int32)
    for cell, around in enumerate(board.adjacency):
        found[cell, 0] = cell
        for other, place in zip(around, _places(board, cell), strict=True):
            found[cell, 1 + place] = other
    return found


def _places(board: Board, cell: int) -> list[int]:
    """Return the index of each neighbour among the six directions of an inner cell."""
    around = board.adjacency[cell]
    if board.kind == "pent":
        # The grid bends along the lines to the corners, so bearings do not give the directions.
        # Missing neighbours are outside the board, equally many at both ends of the list.
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
    """Return the angles of the six directions in which a hexagonal board has neighbours."""
    first = board.adjacency[0][0]
    (ax, ay), (bx, by) = board.positions[0], board.positions[first]
    angle = math.atan2(by - ay, bx - ax)
    return [angle + math.pi / 3 * turn for turn in range(6)]


def _bearing(towards: Point, outward: Point) -> float:
    """Return the clockwise angle from `outward` to `towards`, as in the order of `adjacency`."""
    turn = math.atan2(towards[1], towards[0]) - math.atan2(outward[1], outward[0])
    return (turn - 1e-6) % math.tau


def static_planes(board: Board) -> NDArray[np.float32]:
    """Return the planes that depend only on the board.

    Returns:
        Shape (n_cells, STATIC). The planes are a third of the number of blue stones that the cell
        touches, a third of the number of adjacent stars, and RINGS planes for the distance from the
        edge. Plane k of these is 1 if the distance in steps is greater than k.
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
    """Return each cell's distance in steps from the edge.

    The edge consists of the cells that have fewer neighbours, stars included, than an inner cell.
    """
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
