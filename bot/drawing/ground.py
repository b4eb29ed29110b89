"""What lies under the stones: the plate, the lines, blue stones and stars."""

import math
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from bot.drawing.markup import Line, circle, hull, lines, near, outline
from bot.drawing.style import BLUE_RADIUS, STAR_RADIUS, STONE_RADIUS
from engine import Board
from engine.boards.grid import Point

STAR_POINTS: Final = 5


def ground(board: Board, highlighted: Iterable[str]) -> Iterator[Element]:
    """The plate, the cells with a colour of their own, and the lines."""
    yield outline("plate", hull(everything(board)))
    for cell in highlighted:
        yield circle("highlight", board.position(cell), STONE_RADIUS + 0.04)
    yield lines("lines", [*_between_cells(board), *_to_stars(board)])
    for stone in board.blue_stones:
        yield lines("link", [(stone.position, board.positions[cell]) for cell in stone.touches])


def fixtures(board: Board) -> Iterator[Element]:
    """Blue stones and stars, which lie on the board from the start."""
    yield from (circle("blue", stone.position, BLUE_RADIUS) for stone in board.blue_stones)
    yield from (_star(place) for place in board.stars)


def everything(board: Board) -> list[Point]:
    """Where anything is drawn."""
    return [*board.positions, *(stone.position for stone in board.blue_stones), *board.stars]


def _between_cells(board: Board) -> Iterator[Line]:
    for cell, around in enumerate(board.adjacency):
        for other in sorted(around):
            if other > cell:
                yield board.positions[cell], board.positions[other]


def _to_stars(board: Board) -> Iterator[Line]:
    """One looks along these as along the others."""
    for star in board.stars:
        yield from ((star, place) for place in board.positions if near(star, place))


def _star(centre: Point) -> Element:
    x, y = centre
    corners = []
    for index in range(2 * STAR_POINTS):
        radius = STAR_RADIUS * (1 if index % 2 == 0 else 0.45)
        angle = (index / STAR_POINTS - 0.5) * math.pi
        corners.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
    return outline("star", corners)
