"""Sheets of paper, and where a board lies on one.

Lengths on a sheet are in mm, y grows downwards, and the upper left corner is (0, 0).
"""

import math
from dataclasses import dataclass
from typing import Final

from bot.drawing import svg
from bot.drawing.board_svg import Frame
from bot.drawing.track import RIM, Track
from bot.errors import ConfigurationError
from engine import Board
from engine.boards.grid import Point

MARGIN_MM: Final = 10.0
"""What stays white at each edge. Few home printers reach nearer than 6 mm."""
LABEL_RADIUS: Final = 0.35
"""What a label in the margin of a board takes, in board units."""
CAPTION_MM: Final = 6.0
"""The height of the strip below the board that has the caption."""


@dataclass(frozen=True)
class Paper:
    """A size of paper, upright."""

    name: str
    width_mm: float
    height_mm: float


PAPERS: Final = (Paper("A4", 210, 297), Paper("A3", 297, 420), Paper("Letter", 215.9, 279.4))


@dataclass(frozen=True)
class Layout:
    """A sheet, upright or on its side, and where a board lies on it."""

    width_mm: float
    height_mm: float
    scale: float
    """Millimetres for one board unit."""
    origin: Point
    """Where the middle of the board is, in mm."""


def paper_named(name: str) -> Paper:
    """Return a size of paper. Raises ConfigurationError, with the known sizes, for another name."""
    for paper in PAPERS:
        if paper.name.lower() == name.lower():
            return paper
    known = ", ".join(paper.name for paper in PAPERS)
    raise ConfigurationError(f"paper {name!r} is not known; known: {known}")


def laid_out(paper: Paper, extent: Frame) -> Layout:
    """Lay a drawing out as large as the paper allows, on the sheet turned as suits it better."""
    short, long = paper.width_mm, paper.height_mm
    sheets = [_on_sheet(width, height, extent) for width, height in ((short, long), (long, short))]
    return max(sheets, key=lambda sheet: sheet.scale)


def _on_sheet(width_mm: float, height_mm: float, extent: Frame) -> Layout:
    left, top, width, height = extent
    room_x, room_y = width_mm - 2 * MARGIN_MM, height_mm - 2 * MARGIN_MM - CAPTION_MM
    scale = min(room_x / width, room_y / height)
    middle = (MARGIN_MM + room_x / 2, MARGIN_MM + room_y / 2)
    origin = (
        middle[0] - (left + width / 2) * scale,
        middle[1] - (top + height / 2) * scale,
    )
    return Layout(width_mm, height_mm, scale, origin)


def gap(board: Board) -> float:
    """Return the smallest distance between two neighbours, in board units.

    Pieces may be as wide.
    """
    places = board.positions
    return min(
        math.dist(places[cell], places[other])
        for cell, around in enumerate(board.adjacency)
        for other in around
    )


def extent(board: Board, around: Track | None = None) -> Frame:
    """Return the part of the plane that a board with pieces on all cells takes, in board units.

    `around` is the track around it.
    """
    reach = gap(board) / 2
    track = () if around is None else around.outline
    track_reach = 0 if around is None else around.reach - RIM
    discs = [
        *((place, reach) for place in board.positions),
        *((place, track_reach) for place in track),
        *((stone.position, svg.BLUE_RADIUS) for stone in board.blue_stones),
        *((place, svg.STAR_RADIUS) for place in board.stars),
        *((label.position, LABEL_RADIUS) for label in board.labels),
    ]
    left, top = (min(place[axis] - radius for place, radius in discs) for axis in (0, 1))
    right, bottom = (max(place[axis] + radius for place, radius in discs) for axis in (0, 1))
    return left, top, right - left, bottom - top
