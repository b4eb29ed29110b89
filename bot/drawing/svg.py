"""SVG elements, sizes in board units, and the style sheet of a drawing."""

import math
from collections.abc import Iterable
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from engine.boards.grid import Point

Line = tuple[Point, Point]

NEAR: Final = 1.3
"""Points nearer than this are neighbours; on the boards, neighbours are about 1 apart."""


def number(value: float) -> str:
    """Format a number with three decimals, a thousandth of a cell. Adding 0 turns -0 into 0."""
    return f"{round(value, 3) + 0.0:g}"


def element(tag: str, css_class: str, **attributes: float | str) -> Element:
    """Return an element. Underscores in the names of attributes become hyphens."""
    made = Element(tag, {"class": css_class})
    for name, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        made.set(name.replace("_", "-"), text)
    return made


def group(css_class: str, children: Iterable[Element], **attributes: str) -> Element:
    """Return a group of elements."""
    made = element("g", css_class, **attributes)
    made.extend(children)
    return made


def circle(css_class: str, centre: Point, radius: float) -> Element:
    """Draw a circle around a point."""
    return element("circle", css_class, cx=centre[0], cy=centre[1], r=radius)


def lines(css_class: str, pairs: Iterable[Line]) -> Element:
    """Draw straight lines as one path."""
    parts = (f"M{_point(a)}L{_point(b)}" for a, b in pairs)
    return element("path", css_class, d="".join(parts))


def outline(css_class: str, corners: Iterable[Point]) -> Element:
    """Draw a closed path through some points."""
    return element("path", css_class, d=f"M{'L'.join(map(_point, corners))}Z")


def label(css_class: str, centre: Point, text: str) -> Element:
    """Draw a text centred at a point. The style sheet sets the size of its letters."""
    made = element("text", css_class, x=centre[0], y=centre[1])
    made.text = text
    return made


def style_sheet(text: str) -> Element:
    """Return the style sheet of a drawing."""
    made = Element("style")
    made.text = text
    return made


def gradient(name: str, light: str, deep: str) -> Element:
    """Define a gradient that makes a disc look round. Elements refer to it by its name."""
    made = Element("radialGradient", {"id": name, "cx": "36%", "cy": "30%", "r": "78%"})
    SubElement(made, "stop", {"offset": "0%", "stop-color": light})
    SubElement(made, "stop", {"offset": "100%", "stop-color": deep})
    return made


def _point(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def near(a: Point, b: Point) -> bool:
    """Return whether two points are neighbours on a board."""
    return 0 < math.dist(a, b) < NEAR


def hull(points: Iterable[Point]) -> list[Point]:
    """Return the corners of the convex hull of points (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    return [*_chain(ordered)[:-1], *_chain(ordered[::-1])[:-1]]


def _chain(ordered: list[Point]) -> list[Point]:
    kept: list[Point] = []
    for point in ordered:
        while len(kept) > 1 and not _turns_left(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _turns_left(a: Point, b: Point, c: Point) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 1e-9


# Sizes in board units, and the style sheet of a drawing.
#
# A drawing has its own ground, so that it looks the same on light and on dark pages.

STONE_RADIUS: Final = 0.43
KIND_RING_RADIUS: Final = 0.27
BLUE_RADIUS: Final = 0.25
STAR_RADIUS: Final = 0.36
DOT_RADIUS: Final = 0.11
LIBERTY_RADIUS: Final = 0.34

PLATE_WIDTH: Final = 1.1
"""The stroke width of the plate, which pads and rounds the plate."""

MARGIN: Final = PLATE_WIDTH / 2 + 0.1

PIXELS_PER_UNIT: Final = 44

SHADES: Final = {
    "shade-1-1": ("#4a566c", "#0c1220"),
    "shade-2-1": ("#ffffff", "#d3dae5"),
    "shade-1-2": ("#e0616a", "#b3263e"),
    "shade-2-2": ("#f6d57c", "#e5b53b"),
    "shade-blue": ("#7fb0ff", "#1a56d6"),
}
"""The light and the dark end of each gradient; stones by player and kind."""

STYLE_SHEET: Final = """
.plate { fill: #e4eaf3; stroke: #e4eaf3; stroke-width: 1.1; stroke-linejoin: round }
.lines { fill: none; stroke: #a3b0c4; stroke-width: .028; stroke-linecap: round }
.dot { fill: #a3b0c4 }
.link { fill: none; stroke: #a9bbdd; stroke-width: .03; stroke-dasharray: .1 .08 }
.blue { fill: url(#shade-blue); stroke: #1a56d6; stroke-width: .03 }
.star { fill: #f2b01e; stroke: #a87408; stroke-width: .04; stroke-linejoin: round }
.highlight { fill: #b9d2ff }
.connection { fill: none; stroke: #1f5fe0; stroke-width: .28; stroke-linecap: round }
.touch { fill: none; stroke: #1f5fe0; stroke-width: .08 }
.liberty { fill: none; stroke: #1f5fe0; stroke-width: .07; stroke-dasharray: .14 .1 }
.sight { fill: none; stroke: #1f5fe0; stroke-width: .1; stroke-linecap: round }
.gaze { fill: none; stroke: #c07a00; stroke-width: .1; stroke-linecap: round }
.shadow { fill: #0a101e; fill-opacity: .22 }
.body { stroke-width: .035 }
.player-1 .body { fill: url(#shade-1-1); stroke: #05080f }
.player-2 .body { fill: url(#shade-2-1); stroke: #6d7b91 }
.player-1.kind-2 .body { fill: url(#shade-1-2); stroke: #6e0f21 }
.player-2.kind-2 .body { fill: url(#shade-2-2); stroke: #8a6410 }
.kind-ring { fill: none; stroke: #ffd9de; stroke-width: .05 }
.player-2 .kind-ring { stroke: #6b4a05 }
.uninspired .shadow, .uninspired .body { opacity: .5 }
.slash, .cross { fill: none; stroke: #b3261e; stroke-width: .07; stroke-linecap: round }
.ghost { fill: #e4eaf3; stroke: #5a667a; stroke-width: .035; stroke-dasharray: .12 .1 }
.last { fill: #7fb0ff; stroke: #1a56d6; stroke-width: .05 }
.last-ring { fill: none; stroke: #4a8dff; stroke-width: .07 }
text { font-family: "Segoe UI", system-ui, "Helvetica Neue", "DejaVu Sans", sans-serif;
  text-anchor: middle; fill: #172033 }
.text { font-size: .42px; font-weight: 700 }
.name { font-size: .25px; font-weight: 500 }
.label { font-size: .36px; fill: #4a5670 }
.on-ground { paint-order: stroke; stroke: #e4eaf3; stroke-width: .1 }
.on-1-1, .on-1-2 { fill: #ffffff }
"""
"""The colours of the light theme of the game's page."""
