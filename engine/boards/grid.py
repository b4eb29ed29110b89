"""Boards as graphs: cells, names, neighbours, blue stones, symmetries, and where to draw them.

`Board` explains the coordinates and the canonical order of the cells.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Final

from engine.errors import UnknownGame

Point = tuple[float, float]

SIZES: Final = {"pent": range(3, 14), "limping": range(3, 12), "hexhex": range(3, 12)}
"""The sizes of each kind of board. The largest have at most 400 cells and 64 blue stones."""

FOLDS: Final = {"pent": 5, "square": 4}
"""The rotations that may map a board to itself, by its kind; other boards have six."""

KNOWN_BOARDS: Final = tuple(
    f"{kind}-N with N = {sizes[0]}..{sizes[-1]}" for kind, sizes in SIZES.items()
)


@dataclass(frozen=True)
class BlueStone:
    """A blue stone of Bluestone. It lies outside the cells and gives points."""

    touches: tuple[int, ...]
    """The indices of the cells that it touches."""
    position: Point
    """Where to draw it, as in `Board.positions`."""


@dataclass(frozen=True)
class Label:
    """A text in the margin of a board, such as the letter of a column."""

    text: str
    position: Point
    """The middle of the text, as in `Board.positions`."""


@dataclass(frozen=True)
class Board:
    """A board as a graph of cells. Except for names, fields refer to cells by index in `cells`.

    `name in board` is True if a cell of that name exists.
    """

    name: str
    """The board's name, such as `pent-6`."""
    kind: str
    """The shape: `pent`, `limping`, `hexhex`, `stars`, `square` or `plane`."""
    size: int
    """The number in the board's name; 0 for `plane`."""
    cells: tuple[str, ...] = field(repr=False)
    """The names of all cells, in canonical order.

    On `pent` boards the order is ring by ring from the middle. On other boards it is row by row,
    top row first, left to right.
    """
    positions: tuple[Point, ...] = field(repr=False)
    """Where to draw each cell, as (x, y).

    x grows to the right and y grows *down*. The unit is the distance between two neighbours in a
    row or a ring. The middle of the board is (0, 0).
    """
    adjacency: tuple[tuple[int, ...], ...] = field(repr=False)
    """The neighbours of each cell, clockwise as drawn.

    The list starts at the direction that points away from the middle of the board. So for a cell at
    the edge, the outside of the board lies between its last and its first neighbour.
    """
    perimeter: tuple[int, ...] = field(repr=False)
    """The cells at the edge, clockwise as drawn; empty on `stars` boards."""
    blue_stones: tuple[BlueStone, ...] = field(repr=False)
    """The blue stones; empty in games other than Bluestone."""
    stars: tuple[Point, ...] = field(default=(), repr=False)
    """Where to draw the stars of Stargazers. Stars are not cells."""
    dots: tuple[int, ...] = field(default=(), repr=False)
    """The cells with a dot, which help to find a place; only on `square` boards."""
    labels: tuple[Label, ...] = field(default=(), repr=False)
    """The coordinates in the margin; only on `square` boards. Elsewhere each cell has its name."""

    @property
    def is_bounded(self) -> bool:
        """Whether the board has an edge, so that `cells` lists all of it.

        HeXO is played on an unbounded board, whose lists of cells are empty.
        """
        return True

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.cells)}

    def index(self, name: str) -> int:
        """Return the index of a cell in `cells`.

        Args:
            name: The name of the cell.

        Returns:
            The index, from 0.

        Raises:
            KeyError: There is no cell of that name.
        """
        return self._indices[name]

    def __contains__(self, name: object) -> bool:
        return name in self._indices

    def neighbours(self, name: str) -> tuple[str, ...]:
        """Return the neighbours of a cell, in the order of `adjacency`.

        Args:
            name: The name of the cell.

        Returns:
            The names of the neighbours.

        Raises:
            KeyError: There is no cell of that name.

        Example:
            >>> engine.game("bluestone").board.neighbours("0-0")
            ('1-2', '1-3', '1-4', '1-0', '1-1')
        """
        return tuple(self.cells[other] for other in self.adjacency[self._indices[name]])

    def position(self, name: str) -> Point:
        """Return where to draw a cell.

        Args:
            name: The name of the cell.

        Returns:
            (x, y) as in `positions`.

        Raises:
            KeyError: There is no cell of that name.
        """
        return self.positions[self._indices[name]]

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The symmetries of the cells and blue stones. Permutation `p` maps cell i to cell `p[i]`.

        The identity comes first.
        """
        return tuple(self._symmetries())

    def _symmetries(self) -> Iterator[tuple[int, ...]]:
        places = {_rounded(point): index for index, point in enumerate(self.positions)}
        stones = {frozenset(stone.touches) for stone in self.blue_stones}
        folds = FOLDS.get(self.kind, 6)
        for mirror in (1, -1):
            for fold in range(folds):
                moved = [_turned(point, fold / folds, mirror) for point in self.positions]
                image = [places.get(_rounded(point), -1) for point in moved]
                touched = {frozenset(image[cell] for cell in stone) for stone in stones}
                if -1 not in image and touched == stones:
                    yield tuple(image)


@cache
def board(name: str) -> Board:
    """Return the board of a name.

    Raises:
        UnknownGame: There is no board of that name. `known` lists the forms of names.
    """
    match = re.fullmatch(r"([a-z]+)-([1-9][0-9]?)", name)
    if match is None or int(match[2]) not in SIZES.get(match[1], ()):
        raise UnknownGame("board", name, KNOWN_BOARDS)
    kind, size = match[1], int(match[2])
    return _pentagon(name, size) if kind == "pent" else _hexagon(name, kind, size)


def _pentagon(name: str, size: int) -> Board:
    """Build a pentagonal board: `size` - 1 rings around a centre cell, with a corner at the top.

    Ring r has r cells on each side.
    """
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
        adjacency=in_rotational_order(positions, edges),
        perimeter=perimeter,
        blue_stones=tuple(_between(positions, perimeter, _PENTAGON_APOTHEM)),
    )


_PENTAGON_RADIUS: Final = 0.5 / math.sin(math.pi / 5)
_PENTAGON_APOTHEM: Final = 0.5 / math.tan(math.pi / 5)


def _pentagon_position(ring: int, i: int) -> Point:
    if ring == 0:
        return (0.0, 0.0)
    side, offset = divmod(i, ring)
    along = offset / ring
    corner = (0.0, -ring * _PENTAGON_RADIUS)
    (ax, ay), (bx, by) = (_turned(corner, number / 5) for number in (side, side + 1))
    return (ax + (bx - ax) * along, ay + (by - ay) * along)


def _hexagon(name: str, kind: str, size: int) -> Board:
    """Build a hexagonal board. On `limping-N` the top row has N + 1 cells and the bottom row N."""
    top = size + (kind == "limping")
    widest = top + size - 1
    widths = [*range(top, widest), *range(widest, size - 1, -1)]
    positions = _centred([(x, y) for y, width in enumerate(widths) for x in range(width)], widths)
    adjacency = in_rotational_order(positions, _grid_edges(widths))
    edge = [cell for cell, around in enumerate(adjacency) if len(around) < 6]
    *others, top_left = sorted(edge, key=lambda cell: _angle(positions[cell], positions[0]))
    perimeter = (top_left, *others)
    blue = [*_between(positions, perimeter, math.sqrt(0.75))]
    if kind == "hexhex":
        corners = [cell for cell in perimeter if len(adjacency[cell]) == 3]
        blue += [_beyond(positions, corner) for corner in corners[::2]]
    return Board(
        name=name,
        kind=kind,
        size=size,
        cells=tuple(_hexagon_names(widths)),
        positions=tuple(positions),
        adjacency=adjacency,
        perimeter=perimeter,
        blue_stones=tuple(blue),
    )


def _hexagon_names(widths: Sequence[int]) -> Iterator[str]:
    """Yield the names of the cells: letters for rows from the bottom, numbers from the left."""
    for row, width in enumerate(widths):
        letter = chr(ord("a") + len(widths) - 1 - row)
        yield from (f"{letter}{number}" for number in range(1, width + 1))


def _centred(places: Sequence[tuple[int, int]], widths: Sequence[int]) -> list[Point]:
    """Convert grid places to points. The mean of all cells is the origin."""
    middle = sum(y for _, y in places) / len(places)
    return [(x - (widths[y] - 1) / 2, (y - middle) * math.sqrt(0.75)) for x, y in places]


def _grid_edges(widths: Sequence[int]) -> set[tuple[int, int]]:
    """Return the pairs of neighbours. Widths of consecutive rows differ by one."""
    starts = [sum(widths[:row]) for row in range(len(widths))]
    edges = set()
    for row, (start, width) in enumerate(zip(starts, widths, strict=True)):
        edges |= {(start + x, start + x + 1) for x in range(width - 1)}
        if row + 1 < len(widths):
            following, grows = starts[row + 1], widths[row + 1] > width
            pairs = {
                (x, x + shift) for x in range(width) for shift in ((0, 1) if grows else (-1, 0))
            }
            edges |= {(start + a, following + b) for a, b in pairs if 0 <= b < widths[row + 1]}
    return edges


def in_rotational_order(
    positions: Sequence[Point], edges: set[tuple[int, int]]
) -> tuple[tuple[int, ...], ...]:
    """Return each cell's neighbours clockwise, starting after the direction away from the middle.

    Args:
        positions: Where to draw each cell.
        edges: Pairs of neighbours, each pair once.
    """
    around: list[list[int]] = [[] for _ in positions]
    for a, b in edges:
        around[a].append(b)
        around[b].append(a)

    return tuple(_in_order(positions, cell, others) for cell, others in enumerate(around))


def _in_order(positions: Sequence[Point], cell: int, others: Sequence[int]) -> tuple[int, ...]:
    x, y = positions[cell]

    def bearing(other: int) -> float:
        to_x, to_y = positions[other]
        return _angle((to_x - x, to_y - y), (x, y))

    return tuple(sorted(others, key=bearing))


def _between(
    positions: Sequence[Point], perimeter: Sequence[int], height: float
) -> Iterator[BlueStone]:
    """Yield a blue stone outside each pair of perimeter neighbours, `height` from their line."""
    for a, b in zip(perimeter, (*perimeter[1:], perimeter[0]), strict=True):
        (ax, ay), (bx, by) = positions[a], positions[b]
        scale = height / math.dist(positions[a], positions[b])
        middle = ((ax + bx) / 2, (ay + by) / 2)
        yield BlueStone((a, b), (middle[0] + (by - ay) * scale, middle[1] - (bx - ax) * scale))


def _beyond(positions: Sequence[Point], corner: int) -> BlueStone:
    """Return a blue stone that touches only a corner cell, on the line from the middle to it."""
    x, y = positions[corner]
    scale = 1 + 1 / math.hypot(x, y)
    return BlueStone((corner,), (x * scale, y * scale))


def _angle(point: Point, reference: Point) -> float:
    """Return the clockwise angle from the direction of `reference` to that of `point`.

    The angle is almost 2 pi, not 0, for equal directions.
    """
    turn = math.atan2(point[1], point[0]) - math.atan2(reference[1], reference[0])
    return (turn - 1e-9) % math.tau


def _turned(point: Point, fraction: float, mirror: int = 1) -> Point:
    """Rotate `point` clockwise around the origin by a fraction of a full turn.

    With `mirror` -1, left and right are exchanged first.
    """
    x, y = point[0] * mirror, point[1]
    cos, sin = math.cos(math.tau * fraction), math.sin(math.tau * fraction)
    return (x * cos - y * sin, x * sin + y * cos)


def _rounded(point: Point) -> tuple[int, int]:
    return (round(point[0] * 1000), round(point[1] * 1000))
