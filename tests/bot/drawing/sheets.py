"""Reading sheets back, from SVG and from PDF."""

import math
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from engine.boards.grid import Point

MM = 25.4 / 72
"""Millimetres in a point."""


def size_mm(pdf: bytes) -> Point:
    """The size of the only page."""
    boxes: list[bytes] = re.findall(rb"/MediaBox \[0 0 ([\d.]+ [\d.]+)\]", pdf)
    assert re.findall(rb"/Type /Page\b", pdf) == [b"/Type /Page"]
    (box,) = boxes
    width, height = map(float, box.split())
    return width * MM, height * MM


def texts(pdf: bytes) -> set[str]:
    return {found.decode() for found in re.findall(rb"\(([^()]*)\) Tj", pdf)}


def matrix(sheet: Element) -> tuple[float, Point]:
    """The millimetres of a board unit, and where the middle of the board is."""
    group = next(each for each in sheet if each.get("class") == "board")
    found = re.fullmatch(r"matrix\((\S+) 0 0 (\S+) (\S+) (\S+)\)", group.get("transform") or "")
    assert found is not None
    scale, same, x, y = map(float, found.groups())
    assert scale == same
    return scale, (x, y)


def points_mm(sheet: Element) -> Iterator[tuple[Point, float]]:
    """Everything on the board, on the sheet: each point with the radius around it."""
    scale, (x, y) = matrix(sheet)
    for element in sheet.iter():
        if element.tag == "circle":
            cx, cy, r = (float(element.get(name) or "") for name in ("cx", "cy", "r"))
            yield (x + cx * scale, y + cy * scale), r * scale
        elif element.tag == "path":
            for found in re.findall(r"[ML](\S+) ([^\sMLAZ]+)", element.get("d") or ""):
                px, py = map(float, found)
                yield (x + px * scale, y + py * scale), 0


def nearest_mm(places: list[Point], scale: float) -> float:
    """The smallest distance between any two places."""
    return scale * min(math.dist(a, b) for i, a in enumerate(places) for b in places[:i])
