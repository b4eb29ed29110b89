"""The unbounded board: every cell of the hexagonal grid, with the axial coordinates as its name.

The cell `q:r` is `q` steps to the right and `r` steps up and to the right of the origin `0:0`, as
in the notation HTTTX. Code for this board computes cells; nothing can list all of them.
"""

import math
import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from engine.boards.grid import Board, Point

Cell = tuple[int, int]
"""The axial coordinates of a cell, q and r."""

DIRECTIONS: Final = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The steps to the six neighbours, clockwise as drawn, from the right on."""
AXES: Final = ((1, 0), (0, 1), (1, -1))
"""One direction of each of the three lines through a cell."""
PLANE: Final = "plane"
"""The name and the kind of the board."""

_NAME: Final = re.compile(r"(0|-?[1-9][0-9]{0,5}):(0|-?[1-9][0-9]{0,5})")
"""At most six digits, so that a name from outside is never long."""


def cell_name(cell: Cell) -> str:
    """Return the name of a cell, such as `3:-1`."""
    return f"{cell[0]}:{cell[1]}"


def cell_of(name: str) -> Cell | None:
    """Return the coordinates of a cell; None if `name` is not the name of a cell."""
    match = _NAME.fullmatch(name)
    return (int(match[1]), int(match[2])) if match else None


def distance(one: Cell, other: Cell) -> int:
    """Return how many steps from neighbour to neighbour lie between two cells."""
    q, r = one[0] - other[0], one[1] - other[1]
    return (abs(q) + abs(r) + abs(q + r)) // 2


@cache
def disk(radius: int) -> tuple[Cell, ...]:
    """Return the steps to all cells within `radius` of a cell, itself included, row by row."""
    span = range(-radius, radius + 1)
    return tuple((q, r) for r in span for q in span if abs(q + r) <= radius)


def cells_within(radius: int, cells: Iterable[Cell]) -> set[Cell]:
    """Return all cells within `radius` of any of `cells`."""
    return {(q + dq, r + dr) for q, r in cells for dq, dr in disk(radius)}


def in_reading_order(cells: Iterable[Cell]) -> list[Cell]:
    """Return cells row by row as drawn, the top row first, each from left to right."""
    return sorted(cells, key=lambda cell: (-cell[1], cell[0]))


class UnboundedBoard(Board):
    """The hexagonal grid without an edge. Its lists of cells are empty.

    What takes the name of a cell works as on every board: `in`, `neighbours` and `position`.
    """

    @property
    def is_bounded(self) -> bool:
        """Whether the board has an edge, so that `cells` lists all of it: False."""
        return False

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and cell_of(name) is not None

    def neighbours(self, name: str) -> tuple[str, ...]:
        """Return the six neighbours of a cell, clockwise as drawn, from the right on."""
        q, r = _known(name)
        return tuple(cell_name((q + dq, r + dr)) for dq, dr in DIRECTIONS)

    def position(self, name: str) -> Point:
        """Return where to draw a cell; the origin is at (0, 0)."""
        q, r = _known(name)
        return (q + r / 2, -r * math.sqrt(0.75))


def part_of_plane(cells: Iterable[Cell]) -> Board:
    """Return a part of the plane as a board that lists its cells, to draw it."""
    chosen = in_reading_order(set(cells))
    index = {cell: number for number, cell in enumerate(chosen)}
    names = [cell_name(cell) for cell in chosen]
    around = [[(q + dq, r + dr) for dq, dr in DIRECTIONS] for q, r in chosen]
    return Board(
        name=PLANE,
        kind=PLANE,
        size=0,
        cells=tuple(names),
        positions=tuple(THE_PLANE.position(name) for name in names),
        adjacency=tuple(tuple(index[each] for each in near if each in index) for near in around),
        perimeter=(),
        blue_stones=(),
    )


def _known(name: str) -> Cell:
    cell = cell_of(name)
    if cell is None:
        raise KeyError(name)
    return cell


THE_PLANE: Final = UnboundedBoard(
    name=PLANE,
    kind=PLANE,
    size=0,
    cells=(),
    positions=(),
    adjacency=(),
    perimeter=(),
    blue_stones=(),
)
