"""Square boards: points on a grid of lines, as in Go.

Names are those of Go players: letters for columns from the left, without I, and numbers for rows
from below. Source of the dots: the usual boards of 9, 13 and 19 lines.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.boards.grid import Board, Label, in_rotational_order
from engine.errors import UnknownGame

SIZES: Final = range(5, 20)
KNOWN_SQUARES: Final = (f"square-N with N = {SIZES[0]}..{SIZES[-1]}",)
LETTERS: Final = "abcdefghjklmnopqrst"
MARGIN: Final = 0.8
"""How far the middle of a label is from the outermost line."""


@cache
def square_board(name: str) -> Board:
    """Return the square board of a name.

    Raises:
        UnknownGame: There is no board of that name. `known` lists the forms of names.
    """
    match = re.fullmatch(r"square-([1-9][0-9]?)", name)
    if match is None or int(match[1]) not in SIZES:
        raise UnknownGame("board", name, KNOWN_SQUARES)
    size = int(match[1])
    middle = (size - 1) / 2
    places = [(x, y) for y in range(size) for x in range(size)]
    positions = tuple((x - middle, y - middle) for x, y in places)
    edges = {(y * size + x, y * size + x + 1) for x, y in places if x + 1 < size}
    edges |= {(y * size + x, (y + 1) * size + x) for x, y in places if y + 1 < size}
    last = size - 1
    ring = [(x, 0) for x in range(last)] + [(last, y) for y in range(last)]
    ring += [(x, last) for x in range(last, 0, -1)] + [(0, y) for y in range(last, 0, -1)]
    return Board(
        name=name,
        kind="square",
        size=size,
        cells=tuple(f"{LETTERS[x]}{size - y}" for x, y in places),
        positions=positions,
        adjacency=in_rotational_order(positions, edges),
        perimeter=tuple(y * size + x for x, y in ring),
        blue_stones=(),
        dots=tuple(y * size + x for x, y in dots(size)),
        labels=tuple(_labels(size)),
    )


def _labels(size: int) -> Iterator[Label]:
    """Yield the letters above and below the board, and the numbers on both sides."""
    middle = (size - 1) / 2
    for side in (-middle - MARGIN, middle + MARGIN):
        for line in range(size):
            yield Label(LETTERS[line].upper(), (line - middle, side))
            yield Label(str(size - line), (side, line - middle))


def dots(size: int) -> list[tuple[int, int]]:
    """Return column and row of each dot."""
    if size < 7:
        return []
    middle = size // 2
    near = 2 if size < 13 else 3
    lines = [near, size - 1 - near]
    corners = [(x, y) for x in lines for y in lines]
    if size % 2 == 0:
        return corners
    if size < 15:
        return [*corners, (middle, middle)]
    lines.append(middle)
    return [(x, y) for x in lines for y in lines]
