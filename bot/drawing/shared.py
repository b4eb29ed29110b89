"""Boards and stones that a page defines once and uses in any number of small drawings.

A position takes a few hundred bytes: a path for each kind of stone, with the stone as a marker at
each vertex. `definitions` must be in the page once, together with `STYLE_SHEET`. A script needs
`board_id` and `points` to draw other positions in the same way.
"""

from collections.abc import Iterable
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring
from zlib import crc32

from bot.drawing import svg
from bot.drawing.board_layers import fixtures, ground
from bot.drawing.board_svg import frame
from engine import Game, Position
from engine.boards.grid import Point

STONES: Final = ((1, 1), (1, 2), (2, 1), (2, 2))
"""Player and kind."""

STYLE_SHEET: Final = svg.STYLE_SHEET + "".join(
    f".stones-{name} {{ fill: none; stroke: none; marker-start: url(#{mark}); "
    f"marker-mid: url(#{mark}) }}\n"
    for name, mark in (
        *((f"{player}-{kind}", f"stone-{player}-{kind}") for player, kind in STONES),
        ("last", "last-stone"),
    )
)


def board_id(position: Position) -> str:
    """Return the id of a position's board. In another game the same board has other blue stones.

    A part of an unbounded board has an id of its own.
    """
    game = position.game
    part = "" if game.board.is_bounded else f"-{crc32(_places(position).encode()):08x}"
    return f"board-{game.name}-{game.board.name}{part}"


def view_box(position: Position) -> str:
    """Left, top, width and height, in board units."""
    return " ".join(map(svg.number, frame(position.shown_board)))


def points(game: Game, cells: Iterable[str]) -> str:
    """Return a path through these cells. The last vertex is doubled and has no marker."""
    places = [_place(game.board.position(cell)) for cell in cells]
    return f"M{' '.join(places)}h0" if places else ""


def _place(point: Point) -> str:
    return " ".join(svg.number(round(part, 2)) for part in point)


def _places(position: Position) -> str:
    """Return the place of each cell in the order of the cells, for scripts."""
    return ",".join(map(_place, position.shown_board.positions))


def definitions(positions: Iterable[Position]) -> str:
    """Return shades, stones and boards as an SVG element that is not displayed itself.

    Each board of the positions is defined once.
    """
    root = Element("svg", {"width": "0", "height": "0", "aria-hidden": "true", "class": "drawn"})
    inside = SubElement(root, "defs")
    inside.extend(svg.gradient(name, *ends) for name, ends in svg.SHADES.items())
    inside.extend(
        _marker(f"stone-{player}-{kind}", [_stone(player, kind)]) for player, kind in STONES
    )
    inside.append(_marker("last-stone", [svg.circle("last", (0, 0), svg.DOT_RADIUS)]))
    for name, position in {board_id(each): each for each in positions}.items():
        board = position.shown_board
        parts = (svg.group("ground", ground(board, ())), svg.group("fixtures", fixtures(board)))
        inside.append(svg.group("board", parts, id=name, data_cells=_places(position)))
    return tostring(root, encoding="unicode")


def small_svg(position: Position, title: str) -> str:
    """Draw a position with a dot on the stones of the last turn. `title` is for screen readers."""
    game = position.game
    root = Element(
        "svg",
        {"class": "position", "viewBox": view_box(position), "role": "img", "aria-label": title},
    )
    SubElement(root, "use", {"href": f"#{board_id(position)}"})
    for player, kind in STONES:
        cells = [cell for cell, stone in position.stones.items() if stone == (player, kind)]
        if cells:
            path = {"class": f"stones-{player}-{kind}", "d": points(game, cells)}
            SubElement(root, "path", path)
    if last := _last(position):
        SubElement(root, "path", {"class": "stones-last", "d": points(game, last)})
    return tostring(root, encoding="unicode")


def _last(position: Position) -> list[str]:
    if not position.turns:
        return []
    placed = position.game.placements(position.turns[-1])
    return [one.cell for one in placed if one.cell in position.stones]


def _stone(player: int, kind: int) -> Element:
    parts = [
        svg.circle("shadow", (0, 0.045), svg.STONE_RADIUS),
        svg.circle("body", (0, 0), svg.STONE_RADIUS),
    ]
    if kind > 1:
        parts.append(svg.circle("kind-ring", (0, 0), svg.KIND_RING_RADIUS))
    return svg.group(f"stone player-{player} kind-{kind}", parts)


def _marker(name: str, parts: Iterable[Element]) -> Element:
    shape = {"markerUnits": "userSpaceOnUse", "markerWidth": "1", "markerHeight": "1"}
    made = Element("marker", {"id": name, "overflow": "visible", **shape})
    made.extend(parts)
    return made
