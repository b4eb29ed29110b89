"""What belongs to a stone: its group and what that touches, or its lines of sight."""

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from bot.drawing.markup import Line, circle, lines
from bot.drawing.style import BLUE_RADIUS, LIBERTY_RADIUS
from engine import Board, Position
from engine.boards.grid import Point
from engine.boards.stars import DIRECTIONS, EDGE, STAR, star_board


def connections(position: Position, cell: str) -> Iterator[Element]:
    """The connections of a cell, drawn under the stones; none of an empty one but its view."""
    if position.game.board.stars:
        return _view(position, cell)
    if cell in position.stones:
        return _group(position, cell)
    return iter(())


def _group(position: Position, cell: str) -> Iterator[Element]:
    """A group and the blue stones that it touches; in games without those, its liberties."""
    board = position.game.board
    cells = connected(position, cell)
    places = [board.position(name) for name in cells]
    yield lines("connection", _joints(board, cells) or [(places[0], places[0])])
    indices = {board.index(name) for name in cells}
    for stone in board.blue_stones:
        if touched := indices.intersection(stone.touches):
            yield lines(
                "touch", [(stone.position, board.positions[one]) for one in sorted(touched)]
            )
            yield circle("touch", stone.position, BLUE_RADIUS + 0.12)
    if position.game.kinds > 1:
        for name in liberties(position, cells):
            yield circle("liberty", board.position(name), LIBERTY_RADIUS)


def connected(position: Position, cell: str) -> list[str]:
    """The cells of the group, or the bloom, that has a stone there."""
    own, found = position.stones[cell], [cell]
    for name in found:
        for other in position.game.board.neighbours(name):
            if position.stones.get(other) == own and other not in found:
                found.append(other)
    return found


def liberties(position: Position, cells: list[str]) -> list[str]:
    """The empty cells that touch any of some cells."""
    board = position.game.board
    beside = (other for name in cells for other in board.neighbours(name))
    return [name for name in dict.fromkeys(beside) if name not in position.stones]


def _joints(board: Board, cells: list[str]) -> list[Line]:
    return [
        (board.position(a), board.position(b))
        for a in cells
        for b in board.neighbours(a)
        if b in cells and board.index(a) < board.index(b)
    ]


def _view(position: Position, cell: str) -> Iterator[Element]:
    """Lines to whatever is seen from a cell; those that inspire, to a star across a gap, apart."""
    here = position.game.board.position(cell)
    for there, is_star in seen(position, cell):
        inspires = is_star and math.dist(here, there) > 1.5
        yield lines("gaze" if inspires else "sight", [(here, there)])


def seen(position: Position, cell: str) -> Iterator[tuple[Point, bool]]:
    """The place of the first stone or star in each direction, and whether it is a star."""
    board = position.game.board
    ways = star_board(board.name).lines
    for direction, (q, r) in enumerate(DIRECTIONS):
        at, steps = ways[board.index(cell)][direction], 1
        while at >= 0 and board.cells[at] not in position.stones:
            at, steps = ways[at][direction], steps + 1
        if at != EDGE:
            x, y = board.position(cell)
            yield (x + steps * (q + r / 2), y - steps * r * math.sqrt(0.75)), at == STAR
