"""Charts as SVG; what they show stands in a table or a sentence beside them too."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.drawing.charts import round_step, ticks_between
from bot.matches.report.markup import Html, joined, tag
from bot.matches.report.words import signed

WIDTH: Final = 720
NAMES_WIDTH: Final = 170
ROW: Final = 30
AXIS: Final = 34
HEIGHT: Final = 170
MOST_BARS: Final = 24
LONGEST_NAME: Final = 22


@dataclass(frozen=True)
class Interval:
    """A value with its bounds, and whose it is."""

    name: str
    value: float
    low: float
    high: float


def interval_plot(intervals: Sequence[Interval], title: str) -> Html:
    """A line for each, with a dot at the value."""
    lowest, highest = min(each.low for each in intervals), max(each.high for each in intervals)
    ticks = ticks_between(lowest, highest, 8)
    left, right = min(lowest, ticks[0]), max(highest, ticks[-1])
    scale = (WIDTH - NAMES_WIDTH - 40) / ((right - left) or 1)

    def place(value: float) -> float:
        return round(NAMES_WIDTH + 16 + (value - left) * scale, 1)

    height = ROW * len(intervals) + AXIS
    grid = [_tick(place(tick), height - AXIS, signed(tick)) for tick in ticks]
    lines = [
        _interval(each, ROW * row + ROW / 2, place(each.low), place(each.value), place(each.high))
        for row, each in enumerate(intervals)
    ]
    return _chart(title, height, joined([*grid, *lines]))


def gauge(value: float, low: float, high: float, title: str) -> Html:
    """Where a value stands between two bounds, which it may have crossed."""
    left, right = min(value, low) - 0.3, max(value, high) + 0.3
    scale = (WIDTH - 80) / (right - left)
    start, end, at, zero = (round(40 + (each - left) * scale, 1) for each in (low, high, value, 0))
    parts = [
        _line(start, 26, end, 26, "grid-line"),
        _line(zero, 20, zero, 32, "grid-line"),
        _line(start, 12, start, 40, "span"),
        _line(end, 12, end, 40, "span"),
        tag("circle", cx=at, cy=26, r=6, css="value"),
        _text(start, 58, f"H0 {signed(low, 2)}"),
        _text(end, 58, f"H1 {signed(high, 2)}"),
        _text(at, 14, signed(value, 2)),
    ]
    return _chart(title, 66, joined(parts))


def histogram(values: Sequence[int], title: str) -> Html:
    """How many values fall between the numbers that are written below."""
    width = bar_width(min(values), max(values))
    first = min(values) // width
    counts = [0] * (max(values) // width - first + 1)
    for value in values:
        counts[value // width - first] += 1
    step = (WIDTH - 40) / len(counts)
    every = max(1, math.ceil(len(counts) / 12))
    bars = [_bar(20 + place * step, step, count, max(counts)) for place, count in enumerate(counts)]
    labels = [
        _text(20 + place * step, HEIGHT - 12, (first + place) * width)
        for place in range(0, len(counts) + 1, every)
    ]
    return _chart(title, HEIGHT, joined([*bars, *labels]))


def bar_width(low: int, high: int) -> int:
    return math.ceil(round_step((high - low + 1) / MOST_BARS))


def _interval(each: Interval, y: float, low: float, value: float, high: float) -> Html:
    name = each.name if len(each.name) <= LONGEST_NAME else f"{each.name[: LONGEST_NAME - 1]}…"
    return joined(
        (
            _text(NAMES_WIDTH, y + 4, name, css="name-of"),
            _line(low, y, high, y, "span"),
            _line(low, y - 5, low, y + 5, "span"),
            _line(high, y - 5, high, y + 5, "span"),
            tag("circle", cx=value, cy=y, r=5, css="value"),
        )
    )


def _tick(x: float, bottom: float, text: str) -> Html:
    return joined((_line(x, 4, x, bottom, "grid-line"), _text(x, bottom + 18, text)))


def _bar(x: float, width: float, count: int, most: int) -> Html:
    if not count:
        return Html("")
    tall = round((HEIGHT - 60) * count / most, 1)
    top = HEIGHT - 32 - tall
    shape = {"x": round(x + 1, 1), "y": top, "width": round(width - 2, 1), "height": tall}
    return joined(
        (tag("rect", css="bar", rx=2, **shape), _text(x + width / 2, top - 6, count, css="count"))
    )


def _line(x1: float, y1: float, x2: float, y2: float, css: str) -> Html:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, css=css)


def _text(x: float, y: float, text: object, css: str | None = None) -> Html:
    return tag("text", text, x=round(x, 1), y=round(y, 1), css=css)


def _chart(title: str, height: float, content: Html) -> Html:
    box = f"0 0 {WIDTH} {height:g}"
    drawn = tag("svg", content, viewBox=box, role="img", aria_label=title, css="chart")
    return tag("div", drawn, css="wide", tabindex="0", role="region", aria_label=f"Chart: {title}")
