"""What stands on cells: stones with their marks, what was captured, letters and names."""

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from bot.drawing.annotations import Annotations
from bot.drawing.markup import circle, group, label, lines
from bot.drawing.style import DOT_RADIUS, KIND_RING_RADIUS, STONE_RADIUS
from engine import Position, Stone
from engine.boards.grid import Point


def stones(position: Position) -> Iterator[Element]:
    """Every stone, with its player, its kind and the game's word for it as classes."""
    marks = position.marks
    for cell, stone in position.stones.items():
        yield _stone(cell, stone, position.game.board.position(cell), marks.get(cell))


def _stone(cell: str, stone: Stone, place: Point, mark: str | None) -> Element:
    x, y = place
    parts = [circle("shadow", (x, y + 0.045), STONE_RADIUS), circle("body", place, STONE_RADIUS)]
    if stone.kind > 1:
        parts.append(circle("kind-ring", place, KIND_RING_RADIUS))
    if mark is not None:
        reach = STONE_RADIUS * math.sqrt(0.5)
        parts.append(lines("slash", [((x - reach, y + reach), (x + reach, y - reach))]))
    words = ["stone", f"player-{stone.player}", f"kind-{stone.kind}", *([mark] if mark else [])]
    return group(" ".join(words), parts, data_cell=cell)


def last_turn(position: Position, annotations: Annotations) -> Iterator[Element]:
    """A mark on each stone of the last turn, and one where each stone that it captured stood."""
    if not annotations.last_turn or not position.turns:
        return
    board, standing = position.game.board, position.stones
    for cell in position.captured:
        yield _ghost(cell, board.position(cell))
    for placed in position.game.placements(position.turns[-1]):
        if placed.cell not in standing:
            continue
        place = board.position(placed.cell)
        if annotations.coordinates or placed.cell in annotations.texts:
            yield circle("last-ring", place, STONE_RADIUS - 0.08)
        else:
            yield circle("last", place, DOT_RADIUS)


def _ghost(cell: str, place: Point) -> Element:
    x, y = place
    arm = 0.13
    strokes = [((x - arm, y - arm), (x + arm, y + arm)), ((x + arm, y - arm), (x - arm, y + arm))]
    parts = [circle("ghost", place, STONE_RADIUS - 0.06), lines("cross", strokes)]
    return group("captured", parts, data_cell=cell)


def texts(position: Position, annotations: Annotations) -> Iterator[Element]:
    """The marks that were asked for, and the names of the cells that have none."""
    board, taken = position.game.board, set(annotations.texts)
    if annotations.last_turn:
        taken.update(position.captured)
    for cell, text in annotations.texts.items():
        yield _text("text", text, position.stones.get(cell), board.position(cell))
    if annotations.coordinates:
        for cell in board.cells:
            if cell not in taken:
                yield _text("name", cell, position.stones.get(cell), board.position(cell))


def _text(css_class: str, text: str, on: Stone | None, place: Point) -> Element:
    ground = "on-ground" if on is None else f"on-{on.player}-{on.kind}"
    drop = 0.15 if css_class == "text" else 0.09
    return label(f"{css_class} {ground}", (place[0], place[1] + drop), text)
