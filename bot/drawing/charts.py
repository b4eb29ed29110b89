"""Charts as SVG: axes, frames, legends and documents, shared by all charts."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from bot.drawing import svg
from engine.boards.grid import Point

STEPS: Final = (1, 2, 5)
LEFT: Final = 64
TOP: Final = 40
BELOW: Final = 56
RIGHT: Final = 24
COLOURS: Final = ("#3a6ea5", "#b3263e", "#b8860b", "#4b7f52", "#7d55a8")
"""A colour for each series, readable on white and on black."""
STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#222;text-anchor:middle}"
    ".left{text-anchor:start}.right{text-anchor:end}"
    ".grid{stroke:#ddd;fill:none}.guide{stroke:#888;stroke-dasharray:4 4;fill:none}"
    + "".join(
        f".series-{place}{{stroke:{colour};fill:none;stroke-width:2}}"
        f".dot-{place}{{fill:{colour}}}.bar-{place}{{fill:{colour};opacity:.45}}"
        for place, colour in enumerate(COLOURS)
    )
)


@dataclass(frozen=True)
class Axis:
    """The values along an edge. `ticks` are the values with a line and a text."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    title: str

    def share(self, value: float) -> float:
        """Return 0 for the low end, 1 for the high end, and values between in proportion."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class PlotFrame:
    """The area of a plot, which turns values into points and draws lines, dots and the grid."""

    across: Axis
    up: Axis
    width: float
    height: float
    left: float = LEFT
    top: float = TOP

    def place(self, x: float, y: float) -> Point:
        """Return the point at which two values are drawn."""
        return (
            self.left + self.width * self.across.share(x),
            self.top + self.height * (1 - self.up.share(y)),
        )

    def polyline(self, css_class: str, points: Sequence[Point]) -> Element:
        """Draw a line through the points of these values."""
        placed = [self.place(*point) for point in points]
        return svg.lines(css_class, pairwise(placed))

    def dot(self, css_class: str, x: float, y: float) -> Element:
        """Draw a dot at the point of these values."""
        return svg.circle(css_class, self.place(x, y), 4)

    def grid(self) -> Iterable[Element]:
        """Lines and texts of the ticks, and the titles of both axes, which may be empty."""
        bottom, right = self.top + self.height, self.left + self.width
        crossing: list[svg.Line] = []
        for value, text in self.across.ticks:
            x = self.place(value, self.up.low)[0]
            crossing.append(((x, self.top), (x, bottom)))
            yield svg.label("tick", (x, bottom + 18), text)
        for value, text in self.up.ticks:
            y = self.place(self.across.low, value)[1]
            crossing.append(((self.left, y), (right, y)))
            yield svg.label("right", (self.left - 8, y + 4), text)
        yield svg.lines("grid", crossing)
        if self.across.title:
            middle = self.left + self.width / 2
            yield svg.label("title", (middle, bottom + 40), self.across.title)
        if self.up.title:
            yield svg.label("left", (8, self.top - 22), self.up.title)


def legend(names: Sequence[str], corner: Point) -> Iterable[Element]:
    """Draw the name of each series, with its colour before it."""
    for place, name in enumerate(names):
        y = corner[1] + 20 * place
        yield svg.circle(f"dot-{place}", (corner[0], y - 4), 5)
        yield svg.label("left", (corner[0] + 12, y), name)


def document(
    title: str, width: float, height: float, parts: Iterable[Element], style: str = ""
) -> str:
    """Return an SVG document on a white ground. `style` is added to the style sheet."""
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width:g} {height:g}",
            "role": "img",
        },
    )
    SubElement(root, "title").text = title
    root.append(svg.style_sheet(STYLE + style))
    root.append(svg.element("rect", "ground", width=width, height=height, fill="#fff"))
    root.extend(parts)
    return tostring(root, encoding="unicode") + "\n"


def embedded(title: str, width: float, height: float, parts: Iterable[Element]) -> str:
    """An SVG element for an HTML page; the page's style sheet knows the classes of the parts."""
    box = f"0 0 {width:g} {height:g}"
    root = svg.element("svg", "chart", viewBox=box, role="img", aria_label=title)
    root.extend(parts)
    return tostring(root, encoding="unicode")


def ticks_between(low: float, high: float, most: int) -> list[float]:
    """Return round numbers that enclose a range."""
    step = round_step((high - low) / most)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * each for each in range(first, max(last, first + 1) + 1)]


def round_step(least: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least 1."""
    power = 1.0
    while True:
        for step in STEPS:
            if step * power >= least:
                return step * power
        power *= 10
