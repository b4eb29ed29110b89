"""SVG elements; the serializer escapes whatever text they hold."""

import math
from collections.abc import Iterable
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from engine.boards.grid import Point

Line = tuple[Point, Point]

NEAR: Final = 1.3
"""Points nearer than this are neighbours; on the boards, neighbours are about 1 apart."""


def number(value: float) -> str:
    """Three decimals are a thousandth of a cell; adding 0 makes -0 a plain 0."""
    return f"{round(value, 3) + 0.0:g}"


def element(tag: str, css_class: str, **attributes: float | str) -> Element:
    """An element; underscores in the names of attributes become hyphens."""
    made = Element(tag, {"class": css_class})
    for name, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        made.set(name.replace("_", "-"), text)
    return made


def group(css_class: str, children: Iterable[Element], **attributes: str) -> Element:
    """Elements that belong together."""
    made = element("g", css_class, **attributes)
    made.extend(children)
    return made


def circle(css_class: str, centre: Point, radius: float) -> Element:
    """A circle round a point."""
    return element("circle", css_class, cx=centre[0], cy=centre[1], r=radius)


def lines(css_class: str, pairs: Iterable[Line]) -> Element:
    """Straight lines, as one path."""
    parts = (f"M{_point(a)}L{_point(b)}" for a, b in pairs)
    return element("path", css_class, d="".join(parts))


def outline(css_class: str, corners: Iterable[Point]) -> Element:
    """A closed path through some points."""
    return element("path", css_class, d=f"M{'L'.join(map(_point, corners))}Z")


def label(css_class: str, centre: Point, text: str) -> Element:
    """A text in the middle of a point; the style sheet knows how tall its letters are."""
    made = element("text", css_class, x=centre[0], y=centre[1])
    made.text = text
    return made


def style_sheet(text: str) -> Element:
    """The style sheet of a drawing."""
    made = Element("style")
    made.text = text
    return made


def gradient(name: str, light: str, deep: str) -> Element:
    """A shading that makes a disc look round, to be referred to by its name."""
    made = Element("radialGradient", {"id": name, "cx": "36%", "cy": "30%", "r": "78%"})
    SubElement(made, "stop", {"offset": "0%", "stop-color": light})
    SubElement(made, "stop", {"offset": "100%", "stop-color": deep})
    return made


def _point(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def near(a: Point, b: Point) -> bool:
    """Whether two points are neighbours on a board."""
    return 0 < math.dist(a, b) < NEAR


def hull(points: Iterable[Point]) -> list[Point]:
    """The corners of the smallest convex shape round points (Andrew's monotone chain)."""
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
