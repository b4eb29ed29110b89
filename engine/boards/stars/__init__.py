"""The boards of Stargazers: cells of a hexagonal grid with stars among them.

The places and their names come from the game description in the Ludii portal. One JSON file per
board lists cells and stars as name, q and r. q and r are axial coordinates, with r counted upwards;
the neighbours are at (+1, 0), (0, +1), (-1, +1) and their opposites. The only symmetries of each
board are rotations by one third and two thirds of a full turn.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from engine.boards.grid import Board, Point, in_rotational_order
from engine.errors import UnknownGame

BOARDS: Final = {"stars-39": 39, "stars-63": 66, "stars-111": 111}
"""The boards by name, with their numbers of cells. `stars-63` has 66 cells in spite of its name."""

Place = tuple[int, int]

DIRECTIONS: Final[tuple[Place, ...]] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""Direction d + 3 is opposite to d."""


@dataclass(frozen=True)
class StarBoard:
    """A board with the data for its lines of sight.

    `lines[cell][d]` is the index of the next cell in direction d, `STAR` if a star is there, and
    `EDGE` if the next place is outside the board.
    """

    board: Board
    star_names: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]


EDGE: Final = -1
STAR: Final = -2


@cache
def star_board(name: str) -> StarBoard:
    """Return the board of a name.

    Raises:
        UnknownGame: There is no board of that name. `known` lists the names.
    """
    if name not in BOARDS:
        raise UnknownGame("board", name, BOARDS)
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    data = json.loads(text)
    cells = {(q, r): label for label, q, r in data["cells"]}
    stars = {(q, r): label for label, q, r in data["stars"]}
    points = _points([*cells, *stars])
    places = sorted(cells, key=lambda place: (points[place][1], points[place][0]))
    lines = tuple(_line(place, places, stars) for place in places)
    edges = {(a, b) for a, following in enumerate(lines) for b in following if b >= 0}
    positions = tuple(points[place] for place in places)
    board = Board(
        name=name,
        kind="stars",
        size=int(name.removeprefix("stars-")),
        cells=tuple(cells[place] for place in places),
        positions=positions,
        adjacency=in_rotational_order(positions, {(a, b) for a, b in edges if a < b}),
        perimeter=(),
        blue_stones=(),
        stars=tuple(points[place] for place in stars),
    )
    return StarBoard(board, tuple(stars.values()), lines)


def _line(place: Place, places: list[Place], stars: Mapping[Place, str]) -> tuple[int, ...]:
    q, r = place
    following = [(q + dq, r + dr) for dq, dr in DIRECTIONS]
    index = {other: number for number, other in enumerate(places)}
    return tuple(STAR if other in stars else index.get(other, EDGE) for other in following)


def _points(places: list[Place]) -> dict[Place, Point]:
    """Return where to draw each place: neighbours 1 apart, y grows down, the middle at (0, 0)."""
    raw = {(q, r): (q + r / 2, -r * math.sqrt(0.75)) for q, r in places}
    x, y = (sum(point[axis] for point in raw.values()) / len(raw) for axis in (0, 1))
    return {place: (round(a - x, 9), round(b - y, 9)) for place, (a, b) in raw.items()}
