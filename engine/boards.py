"""Boards as graphs: cells, names, neighbours, blue stones, symmetries, and where to draw them.

Positions are for drawing: x to the right and y *down*, as on a screen, the middle of the board at (0, 0), neighbours in a row or a ring
1 apart. Cells are in canonical order: `pent-N` ring by ring, hexagonal boards by rows, top row first, left to right.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from engine.errors import UnknownGame

Point = tuple[float, float]

SIZES: Final = {"pent": range(3, 14), "limping": range(3, 12), "hexhex": range(3, 12)}
"""The sizes of each kind of board; the upper bounds keep every board within 400 cells and 64 blue stones."""

KNOWN_BOARDS: Final = tuple(
    f"{kind}-N with N = {sizes[0]}..{sizes[-1]}" for kind, sizes in SIZES.items()
)


@dataclass(frozen=True)
class BlueStone:
    """A scoring stone outside the cells: the indices of the cells that it touches, and where to draw it."""

    touches: tuple[int, ...]
    position: Point


@dataclass(frozen=True)
class Board:
    """A board; everything but the names speaks of cells by their index in `cells`.

    `adjacency` lists each cell's neighbours clockwise as drawn, beginning after the direction that points away from
    the middle, so that the outside of a cell at the edge lies between its last neighbour and its first.
    `perimeter` is the cycle of cells at the edge, clockwise.
    """

    name: str
    kind: str
    size: int
    cells: tuple[str, ...]
    positions: tuple[Point, ...]
    adjacency: tuple[tuple[int, ...], ...]
    perimeter: tuple[int, ...]
    blue_stones: tuple[BlueStone, ...]

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.cells)}

    def index(self, name: str) -> int:
        """The index of a cell; KeyError if there is none of that name."""
        return self._indices[name]

    def __contains__(self, name: object) -> bool:
        return name in self._indices

    def neighbours(self, name: str) -> tuple[str, ...]:
        """The names of a cell's neighbours, in rotational order."""
        return tuple(self.cells[other] for other in self.adjacency[self._indices[name]])

    def position(self, name: str) -> Point:
        """Where to draw a cell."""
        return self.positions[self._indices[name]]

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Each symmetry of the cells and the blue stones as a permutation: cell i goes to p[i].

        The identity comes first. Ten on `pent-N`, six on the others.
        """
        return tuple(self._symmetries())

    def _symmetries(self) -> Iterator[tuple[int, ...]]:
        places = {_rounded(point): index for index, point in enumerate(self.positions)}
        stones = {frozenset(stone.touches) for stone in self.blue_stones}
        folds = 5 if self.kind == "pent" else 6
        for mirror in (1, -1):
            for fold in range(folds):
                moved = [_turned(point, fold / folds, mirror) for point in self.positions]
                image = [places.get(_rounded(point), -1) for point in moved]
                touched = {frozenset(image[cell] for cell in stone) for stone in stones}
                if -1 not in image and touched == stones:
                    yield tuple(image)


@cache
def board(name: str) -> Board:
    """The board of that name; UnknownGame, with the known forms, if there is none."""
    match = re.fullmatch(r"([a-z]+)-([1-9][0-9]?)", name)
    if match is None or int(match[2]) not in SIZES.get(match[1], ()):
        raise UnknownGame("board", name, KNOWN_BOARDS)
    kind, size = match[1], int(match[2])
    return _pentagon(name, size) if kind == "pent" else _hexagon(name, kind, size)


def _pentagon(name: str, size: int) -> Board:
    """N rings round a centre, ring r with r cells to a side, a corner at the top."""
    places = [(0, 0)] + [(ring, i) for ring in range(1, size) for i in range(5 * ring)]
    positions = [_pentagon_position(ring, i) for ring, i in places]
    index = {place: i for i, place in enumerate(places)}
    edges = {(index[0, 0], index[1, i]) for i in range(5)}
    for ring, i in places[1:]:
        here = index[ring, i]
        edges.add((here, index[ring, (i + 1) % (5 * ring)]))
        if ring + 1 < size:
            side, offset = divmod(i, ring)
            outward = (-1, 0, 1) if offset == 0 else (0, 1)
            edges |= {(here, index[ring + 1, (i + side + o) % (5 * ring + 5)]) for o in outward}
    perimeter = tuple(index[size - 1, i] for i in range(5 * (size - 1)))
    return Board(
        name=name,
        kind="pent",
        size=size,
        cells=tuple(f"{ring}-{i}" for ring, i in places),
        positions=tuple(positions),
        adjacency=_rotational(positions, edges),
        perimeter=perimeter,
        blue_stones=tuple(_between(positions, perimeter, _PENTAGON_APOTHEM)),
    )


_PENTAGON_RADIUS: Final = 0.5 / math.sin(math.pi / 5)
_PENTAGON_APOTHEM: Final = 0.5 / math.tan(math.pi / 5)


def _pentagon_position(ring: int, i: int) -> Point:
    if ring == 0:
        return (0.0, 0.0)
    side, offset = divmod(i, ring)
    radius = ring * _PENTAGON_RADIUS
    corner, following = (
        _turned((0.0, -radius), number / 5) for number in (side, side + 1)
    )
    along = offset / ring
    return tuple(a + (b - a) * along for a, b in zip(corner, following, strict=True))  # type: ignore[return-value]


def _hexagon(name: str, kind: str, size: int) -> Board:
    """Rows of a hexagonal grid; `limping-N` has its sides of N cells at the bottom and every other side from there."""
    top = size if kind == "hexhex" else size + 1
    rows = [*range(top, 2 * size), *range(2 * size - (kind == "hexhex"), size - 1, -1)]
    if kind == "hexhex":
        rows = [*range(size, 2 * size), *range(2 * size - 2, size - 1, -1)]
    raise NotImplementedError
