"""The charts of the page. A table or a sentence next to each chart has the same figures."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from bot.drawing.charts import RIGHT, Axis, PlotFrame, embedded, round_step, ticks_between
from bot.drawing.svg import element, label, lines
from bot.matches.report.markup import Html, tag
from bot.matches.report.words import signed

WIDTH: Final = 720
TOP: Final = 10
BELOW: Final = 30
"""Height for the texts of the ticks."""
NAMES_WIDTH: Final = 180
ROW: Final = 30
CAP: Final = 5
"""Half the height of the line at an end of an interval."""
HISTOGRAM_HEIGHT: Final = 130
MOST_BARS: Final = 24
MOST_TICKS: Final = 12
LONGEST_NAME: Final = 22


@dataclass(frozen=True)
class Interval:
    """A value with its bounds, and the name of the row."""

    name: str
    value: float
    low: float
    high: float


def interval_plot(intervals: Sequence[Interval], title: str) -> Html:
    """One row per interval, with a dot at the value. There is at least one interval."""
    lowest, highest = min(each.low for each in intervals), max(each.high for each in intervals)
    ticks = ticks_between(lowest, highest, 8)
    rows = [(float(row), _shortened(each.name)) for row, each in enumerate(intervals)]
    frame = PlotFrame(
        Axis(min(lowest, ticks[0]), max(highest, ticks[-1]), [(x, signed(x)) for x in ticks], ""),
        Axis(len(intervals) - 0.5, -0.5, rows, ""),
        WIDTH - NAMES_WIDTH - RIGHT,
        ROW * len(intervals),
        left=NAMES_WIDTH,
        top=TOP,
    )
    parts = [*frame.grid()]
    for row, each in enumerate(intervals):
        parts += _interval(frame, row, each)
    return _chart(title, frame, parts)


def _interval(frame: PlotFrame, row: int, each: Interval) -> Iterator[Element]:
    low, high = frame.place(each.low, row), frame.place(each.high, row)
    caps = [((x, y - CAP), (x, y + CAP)) for x, y in (low, high)]
    yield lines("series-0", [(low, high), *caps])
    yield frame.dot("dot-0", each.value, row)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def gauge(value: float, low: float, high: float, title: str) -> Html:
    """The position of a value between two bounds, which it may have crossed."""
    ticks = [(low, f"H0 {signed(low, 2)}"), (0.0, ""), (high, f"H1 {signed(high, 2)}")]
    frame = PlotFrame(
        Axis(min(value, low) - 0.3, max(value, high) + 0.3, ticks, ""),
        Axis(0, 1, [], ""),
        WIDTH - 2 * RIGHT,
        ROW,
        left=RIGHT,
        top=2 * TOP,
    )
    x, y = frame.place(value, 0.5)
    parts = [
        *frame.grid(),
        frame.polyline("series-0", [(low, 0.5), (high, 0.5)]),
        frame.dot("dot-0", value, 0.5),
        label("tick", (x, y - ROW / 2 - 4), signed(value, 2)),
    ]
    return _chart(title, frame, parts)


def histogram(values: Sequence[int], title: str) -> Html:
    """The counts of values in bins of equal width, with the bounds of the bins below."""
    width = bin_width(min(values), max(values))
    first = min(values) // width
    counts = [0] * (max(values) // width - first + 1)
    for value in values:
        counts[value // width - first] += 1
    every = math.ceil(len(counts) / MOST_TICKS)
    bounds = [(first + place) * width for place in range(0, len(counts) + 1, every)]
    frame = PlotFrame(
        Axis(first * width, (first + len(counts)) * width, [(x, str(x)) for x in bounds], ""),
        Axis(0, max(counts), [], ""),
        WIDTH - 2 * RIGHT,
        HISTOGRAM_HEIGHT,
        left=RIGHT,
        top=2 * TOP,
    )
    parts = [*frame.grid()]
    for place, count in enumerate(counts):
        if count:
            low = (first + place) * width
            parts += _bar(frame, low, low + width, count)
    return _chart(title, frame, parts)


def _bar(frame: PlotFrame, low: int, high: int, count: int) -> Iterator[Element]:
    (left, top), (right, bottom) = frame.place(low, count), frame.place(high, 0)
    box = {"x": left + 1, "y": top, "width": right - left - 2, "height": bottom - top}
    yield element("rect", "bar-0", rx=2, **box)
    yield label("count", ((left + right) / 2, top - 6), str(count))


def bin_width(low: int, high: int) -> int:
    """A round number, so that at most about `MOST_BARS` bins hold the values."""
    return math.ceil(round_step((high - low + 1) / MOST_BARS))


def _chart(title: str, frame: PlotFrame, parts: Iterable[Element]) -> Html:
    """A box of its own, which scrolls on a narrow screen."""
    drawn = Html(embedded(title, WIDTH, frame.top + frame.height + BELOW, parts))
    return tag("div", drawn, css="wide", tabindex="0", role="region", aria_label=f"Chart: {title}")
