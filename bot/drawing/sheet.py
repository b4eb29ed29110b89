"""A board on a sheet of paper, in its true size, as SVG or PDF.

    sheet = board_sheet(position, paper_named("A4"))
    pathlib.Path("board.pdf").write_bytes(as_pdf(sheet))

The board is as large as the paper allows, with pieces on all cells. Of a board without an edge the
sheet has a hexagon.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final
from xml.etree.ElementTree import Element, indent, tostring

from bot.drawing import board_layers as layers
from bot.drawing import svg, track
from bot.drawing.board_svg import NOTHING, title_of, track_of
from bot.drawing.inks import inked
from bot.drawing.paper import MARGIN_MM, Layout, Paper, extent, gap, laid_out
from bot.drawing.pdf import text_width
from bot.errors import ConfigurationError
from engine import Board, Position
from engine.boards.plane import Cell, cell_of, disk, distance, part_of_plane

PIECE_MM: Final = 10.0
"""The pieces that a hexagon of an unbounded board is made for."""
MOST_RADIUS: Final = 25
"""On A4 the pieces are 4 mm wide then."""
CAPTION_LETTERS_MM: Final = 3.5
NAME_LETTERS_MM: Final = 2.6
NAME_UNITS: Final = 0.25
"""The largest letters of names, in board units."""
NAME_WIDTH: Final = 0.66
"""The largest width of names, in board units."""
BASELINE: Final = 0.36
"""How far the middle of digits is above their baseline, as a part of their size."""


def board_sheet(
    position: Position,
    paper: Paper,
    annotations: layers.Annotations = NOTHING,
    title: str | None = None,
) -> Element:
    """Draw a position for paper, as an SVG tree with lengths in mm.

    Raises ConfigurationError for annotations that `board_svg` refuses, and if the stones on an
    unbounded board lie too far apart.
    """
    annotations.check(position.shown_board)
    board = printed_board(position, paper)
    if not annotations.coordinates:
        board = replace(board, labels=())
    around = track_of(position, board) if annotations.track else None
    layout = laid_out(paper, extent(board, around))
    root = _root(layout)
    heading = Element("title")
    heading.text = title_of(position, title)
    root.append(heading)
    ground = svg.element("rect", "paper", x=0, y=0, width=layout.width_mm, height=layout.height_mm)
    ground.set("fill", "#ffffff")
    root.append(ground)
    parts = [*_layers(position, board, annotations, layout.scale)]
    if around is not None:
        # Of an unplayed game no marker is printed: the players put theirs on the track. After a
        # handicap the markers show where they start.
        captured = track.captured(position)
        is_shown = bool(position.turns) or any(captured)
        parts.insert(
            0, svg.group("scoring-track", track.elements(around, captured if is_shown else None))
        )
    drawn = svg.group("board", parts)
    drawn.set("transform", f"matrix({layout.scale:.6g} 0 0 {layout.scale:.6g} {_pair(layout)})")
    root.extend(_printed([drawn], layout.scale))
    root.extend(_printed([_caption(position, board, layout)], 1))
    indent(root, " ")
    return root


def as_svg(sheet: Element) -> str:
    """Return a sheet as an SVG document."""
    return tostring(sheet, encoding="unicode") + "\n"


def piece_mm(board: Board, layout: Layout) -> float:
    """Return the width of the largest pieces that fit, in steps of half a millimetre."""
    return math.floor(2 * gap(board) * layout.scale + 1e-6) / 2


def printed_board(position: Position, paper: Paper) -> Board:
    """Return the board that a sheet shows: of an unbounded one a hexagon around the stones."""
    if position.game.board.is_bounded:
        return position.shown_board
    stones = [cell for name in position.stones if (cell := cell_of(name)) is not None]
    middle = _middle(stones)
    needed = max((distance(middle, cell) + 1 for cell in stones), default=0)
    if needed > MOST_RADIUS:
        raise ConfigurationError("the stones lie too far apart for a sheet of paper")
    fitting = 1
    while laid_out(paper, extent(_hexagon((0, 0), fitting + 1))).scale >= PIECE_MM:
        fitting += 1
    return _hexagon(middle, max(needed, fitting))


def _middle(stones: list[Cell]) -> Cell:
    """Return the cell halfway between the outermost stones."""
    if not stones:
        return (0, 0)
    q, r = ([cell[axis] for cell in stones] for axis in (0, 1))
    return ((min(q) + max(q)) // 2, (min(r) + max(r)) // 2)


def _hexagon(middle: Cell, radius: int) -> Board:
    return part_of_plane((middle[0] + q, middle[1] + r) for q, r in disk(radius))


def _root(layout: Layout) -> Element:
    width, height = svg.number(layout.width_mm), svg.number(layout.height_mm)
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": f"{width}mm",
        "height": f"{height}mm",
        "viewBox": f"0 0 {width} {height}",
        "role": "img",
        "stroke-linecap": "round",
        "stroke-linejoin": "round",
        "font-family": "Helvetica, Arial, sans-serif",
        "text-anchor": "middle",
    }
    return Element("svg", attributes)


def _pair(layout: Layout) -> str:
    return " ".join(f"{part:.6g}" for part in layout.origin)


def _printed(elements: Iterable[Element], scale: float) -> Iterator[Element]:
    return (made for each in elements if (made := inked(each, scale)) is not None)


def _layers(
    position: Position, board: Board, annotations: layers.Annotations, scale: float
) -> Iterator[Element]:
    """Yield the layers from bottom to top. The pieces may cover the names of their cells."""
    yield svg.group("ground", layers.ground(board, annotations.highlighted))
    belongings = [layers.connections(position, cell) for cell in annotations.connected]
    yield svg.group("connections", (part for parts in belongings for part in parts))
    yield svg.group("fixtures", layers.fixtures(board))
    if annotations.coordinates and not board.labels:
        yield svg.group("names", _names(board, set(annotations.texts), scale))
    yield svg.group("stones", layers.stones(position))
    yield svg.group("last-turn", layers.last_turn(position, annotations))
    marks = replace(annotations, coordinates=False)
    yield svg.group("texts", layers.texts(position, marks))


def _names(board: Board, taken: set[str], scale: float) -> Iterator[Element]:
    names = [name for name in board.cells if name not in taken]
    widest = max(map(text_width, names))
    size = min(NAME_LETTERS_MM / scale, NAME_UNITS, NAME_WIDTH / widest)
    for name in names:
        x, y = board.position(name)
        made = svg.label("name on-ground", (x, y + BASELINE * size), name)
        made.set("font-size", svg.number(size))
        yield made


def _caption(position: Position, board: Board, layout: Layout) -> Element:
    game, turns = position.game, len(position.turns)
    where = game.board.name if game.board.is_bounded else f"{len(board.cells)} cells"
    after = f", after {turns} {'turn' if turns == 1 else 'turns'}" if turns else ""
    pieces = f"{piece_mm(board, layout):g}"
    ahead = "".join(f" {title}: {points}." for title, points in _handicaps(position))
    text = f"{game.info.title} on {where}{after}.{ahead} Pieces: up to {pieces} mm"
    place = (layout.width_mm / 2, layout.height_mm - MARGIN_MM)
    made = svg.label("caption", place, text)
    fitting = (layout.width_mm - 2 * MARGIN_MM) / text_width(text)
    made.set("font-size", svg.number(min(CAPTION_LETTERS_MM, fitting)))
    return made


def _handicaps(position: Position) -> Iterator[tuple[str, int]]:
    """Yield the title and the points of each handicap of the game."""
    options = position.game.all_options
    for option in position.game.info.options:
        if option.below is not None and (points := int(options[option.name])):
            yield option.title, points
