"""The layers of a drawn position: the board, groups and lines of sight, stones, labels."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

from bot.drawing import svg
from bot.errors import ConfigurationError
from engine import Board, Position, Stone
from engine.boards.grid import Point
from engine.boards.stars import DIRECTIONS, EDGE, STAR, star_board

LONGEST_TEXT: Final = 4


@dataclass(frozen=True)
class Annotations:
    """Additions to a drawing.

    `texts` are written into cells, and `highlighted` cells have a coloured ground. `connected`
    names cells whose connections are drawn: a stone's group with the blue stones that it touches, a
    bloom with its liberties, or lines of sight. `last_turn` marks the stones of the last turn and
    what it captured. `coordinates` writes the name of each cell, unless the margin of the board has
    the coordinates. `track` draws the scoring track.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    highlighted: tuple[str, ...] = ()
    connected: tuple[str, ...] = ()
    last_turn: bool = False
    coordinates: bool = False
    track: bool = False

    def check(self, board: Board) -> None:
        """Raise ConfigurationError for cells that the board does not have, and for invalid
        texts.
        """
        cells = [*self.texts, *self.highlighted, *self.connected]
        problems = [f"{board.name} has no cell {cell!r}" for cell in _unknown(cells, board)]
        problems += [
            f"{text!r} at {cell}: a mark is 1 to {LONGEST_TEXT} letters or digits that can be shown"
            for cell, text in self.texts.items()
            if not 1 <= len(text) <= LONGEST_TEXT or not text.isprintable()
        ]
        if problems:
            raise ConfigurationError(problems)


def _unknown(cells: Iterable[str], board: Board) -> list[str]:
    return [cell for cell in dict.fromkeys(cells) if cell not in board]


def connections(position: Position, cell: str) -> Iterator[Element]:
    """Draw the connections of a cell under the stones. An empty cell has only its view."""
    if position.shown_board.stars:
        return _view(position, cell)
    if cell in position.stones:
        return _group(position, cell)
    return iter(())


def _group(position: Position, cell: str) -> Iterator[Element]:
    """Draw a group and the blue stones that it touches; in games without those, its liberties."""
    board = position.shown_board
    cells = connected(position, cell)
    places = [board.position(name) for name in cells]
    yield svg.lines("connection", _joints(board, cells) or [(places[0], places[0])])
    indices = {board.index(name) for name in cells}
    for stone in board.blue_stones:
        if touched := indices.intersection(stone.touches):
            yield svg.lines(
                "touch", [(stone.position, board.positions[one]) for one in sorted(touched)]
            )
            yield svg.circle("touch", stone.position, svg.BLUE_RADIUS + 0.12)
    if position.game.info.score == "captures":
        for name in liberties(position, cells):
            yield svg.circle("liberty", board.position(name), svg.LIBERTY_RADIUS)


def connected(position: Position, cell: str) -> list[str]:
    """Return the cells of the group or bloom that includes this cell."""
    own, found = position.stones[cell], [cell]
    for name in found:
        for other in position.shown_board.neighbours(name):
            if position.stones.get(other) == own and other not in found:
                found.append(other)
    return found


def liberties(position: Position, cells: list[str]) -> list[str]:
    """Return the empty cells that touch any of these cells."""
    board = position.shown_board
    beside = (other for name in cells for other in board.neighbours(name))
    return [name for name in dict.fromkeys(beside) if name not in position.stones]


def _joints(board: Board, cells: list[str]) -> list[svg.Line]:
    return [
        (board.position(a), board.position(b))
        for a in cells
        for b in board.neighbours(a)
        if b in cells and board.index(a) < board.index(b)
    ]


def _view(position: Position, cell: str) -> Iterator[Element]:
    """Draw lines to everything that a cell sees.

    Lines to a star across a gap have another style.
    """
    here = position.shown_board.position(cell)
    for there, is_star in seen(position, cell):
        inspires = is_star and math.dist(here, there) > 1.5
        yield svg.lines("gaze" if inspires else "sight", [(here, there)])


def seen(position: Position, cell: str) -> Iterator[tuple[Point, bool]]:
    """Return the place of the first stone or star in each direction, and whether it is a star."""
    board = position.shown_board
    ways = star_board(board.name).lines
    for direction, (q, r) in enumerate(DIRECTIONS):
        at, steps = ways[board.index(cell)][direction], 1
        while at >= 0 and board.cells[at] not in position.stones:
            at, steps = ways[at][direction], steps + 1
        if at != EDGE:
            x, y = board.position(cell)
            yield (x + steps * (q + r / 2), y - steps * r * math.sqrt(0.75)), at == STAR


STAR_POINTS: Final = 5


def ground(board: Board, highlighted: Iterable[str]) -> Iterator[Element]:
    """Draw the plate, the coloured cells, and the lines of the board."""
    yield svg.outline("plate", svg.hull(everything(board)))
    for cell in highlighted:
        yield svg.circle("highlight", board.position(cell), svg.STONE_RADIUS + 0.04)
    yield svg.lines("lines", [*_between_cells(board), *_to_stars(board)])
    yield from (svg.circle("dot", board.positions[cell], svg.DOT_RADIUS) for cell in board.dots)
    for label in board.labels:
        x, y = label.position
        yield svg.label("label", (x, y + 0.13), label.text)
    for stone in board.blue_stones:
        yield svg.lines("link", [(stone.position, board.positions[cell]) for cell in stone.touches])


def fixtures(board: Board) -> Iterator[Element]:
    """Draw the blue stones and stars, which are on the board from the start."""
    yield from (svg.circle("blue", stone.position, svg.BLUE_RADIUS) for stone in board.blue_stones)
    yield from (_star(place) for place in board.stars)


def everything(board: Board) -> list[Point]:
    """Return all points at which something is drawn, and the corners between the labels."""
    reach = max((label.position[0] for label in board.labels), default=0.0)
    corners = [(x, y) for x in (-reach, reach) for y in (-reach, reach)]
    around = [*(stone.position for stone in board.blue_stones), *board.stars]
    return [*board.positions, *around, *corners]


def _between_cells(board: Board) -> Iterator[svg.Line]:
    for cell, around in enumerate(board.adjacency):
        for other in sorted(around):
            if other > cell:
                yield board.positions[cell], board.positions[other]


def _to_stars(board: Board) -> Iterator[svg.Line]:
    """Return the lines from cells to stars. Lines of sight follow them too."""
    for star in board.stars:
        yield from ((star, place) for place in board.positions if svg.near(star, place))


def _star(centre: Point) -> Element:
    x, y = centre
    corners = []
    for index in range(2 * STAR_POINTS):
        radius = svg.STAR_RADIUS * (1 if index % 2 == 0 else 0.45)
        angle = (index / STAR_POINTS - 0.5) * math.pi
        corners.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
    return svg.outline("star", corners)


def stones(position: Position) -> Iterator[Element]:
    """Draw every stone, with its player, its kind and the game's word for it as classes."""
    marks = position.marks
    for cell, stone in position.stones.items():
        yield _stone(cell, stone, position.shown_board.position(cell), marks.get(cell))


def _stone(cell: str, stone: Stone, place: Point, mark: str | None) -> Element:
    x, y = place
    parts = [
        svg.circle("shadow", (x, y + 0.045), svg.STONE_RADIUS),
        svg.circle("body", place, svg.STONE_RADIUS),
    ]
    if stone.kind > 1:
        parts.append(svg.circle("kind-ring", place, svg.KIND_RING_RADIUS))
    if mark is not None:
        reach = svg.STONE_RADIUS * math.sqrt(0.5)
        parts.append(svg.lines("slash", [((x - reach, y + reach), (x + reach, y - reach))]))
    words = ["stone", f"player-{stone.player}", f"kind-{stone.kind}", *([mark] if mark else [])]
    return svg.group(" ".join(words), parts, data_cell=cell)


def last_turn(position: Position, annotations: Annotations) -> Iterator[Element]:
    """Mark each stone of the last turn, and each cell where it captured a stone."""
    if not annotations.last_turn or not position.turns:
        return
    board, standing = position.shown_board, position.stones
    for cell in position.captured:
        yield _ghost(cell, board.position(cell))
    for placed in position.game.placements(position.turns[-1]):
        if placed.cell not in standing:
            continue
        place = board.position(placed.cell)
        if annotations.coordinates or placed.cell in annotations.texts:
            yield svg.circle("last-ring", place, svg.STONE_RADIUS - 0.08)
        else:
            yield svg.circle("last", place, svg.DOT_RADIUS)


def _ghost(cell: str, place: Point) -> Element:
    x, y = place
    arm = 0.13
    strokes = [((x - arm, y - arm), (x + arm, y + arm)), ((x + arm, y - arm), (x - arm, y + arm))]
    parts = [svg.circle("ghost", place, svg.STONE_RADIUS - 0.06), svg.lines("cross", strokes)]
    return svg.group("captured", parts, data_cell=cell)


def texts(position: Position, annotations: Annotations) -> Iterator[Element]:
    """Write the requested marks, and the names of the cells without one."""
    board, taken = position.shown_board, set(annotations.texts)
    if annotations.last_turn:
        taken.update(position.captured)
    for cell, text in annotations.texts.items():
        yield _text("text", text, position.stones.get(cell), board.position(cell))
    if annotations.coordinates and not board.labels:  # else the margin has them
        for cell in board.cells:
            if cell not in taken:
                yield _text("name", cell, position.stones.get(cell), board.position(cell))


def _text(css_class: str, text: str, on: Stone | None, place: Point) -> Element:
    ground = "on-ground" if on is None else f"on-{on.player}-{on.kind}"
    drop = 0.15 if css_class == "text" else 0.09
    return svg.label(f"{css_class} {ground}", (place[0], place[1] + drop), text)
