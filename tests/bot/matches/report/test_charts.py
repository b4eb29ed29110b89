"""Charts: round numbers on their axes, and nothing outside of them."""

import re

import pytest

from bot.drawing.charts import ticks_between
from bot.matches.report.charts import WIDTH, Interval, gauge, histogram, interval_plot
from tests.bot.matches.report.html_reader import Element, read_html

WIDE = [Interval("a" * 60, 0, -900, 900), Interval("<b>", 100, 100, 100)]


def across(path: Element) -> list[float]:
    """The horizontal coordinates of the points of a path."""
    return [float(x) for x in re.findall(r"[ML](\S+) ", path.attributes["d"])]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-3, 4), (-810, 20), (0.2, 0.4), (-2000, 2000)])
def test_ticks_enclose_a_range(low: float, high: float) -> None:
    ticks = ticks_between(low, high, 8)
    assert ticks[0] <= low <= high <= ticks[-1]
    assert 2 <= len(ticks) <= 11


@pytest.mark.parametrize("values", [[7], [20, 20, 31], list(range(5, 400))])
def test_every_value_is_in_a_bar(values: list[int]) -> None:
    drawn = read_html(histogram(values, "lengths"))
    counts = [each for each in drawn.all("text") if each.attributes.get("class") == "count"]
    assert sum(int(each.text) for each in counts) == len(values)
    for bar in drawn.all("rect"):
        left, width = float(bar.attributes["x"]), float(bar.attributes["width"])
        assert 0 <= left < left + width <= WIDTH


@pytest.mark.parametrize(
    "chart", [interval_plot(WIDE, "ratings"), gauge(9, -3, 3, "test"), gauge(-0.4, -3, 3, "test")]
)
def test_lines_and_dots_stay_inside_the_chart(chart: str) -> None:
    drawn = read_html(chart)
    drawn_at = [x for path in drawn.all("path") for x in across(path)]
    drawn_at += [float(dot.attributes["cx"]) for dot in drawn.all("circle")]
    assert len(drawn_at) > 6
    assert all(0 <= x <= WIDTH for x in drawn_at)


def test_names_are_shortened_and_escaped() -> None:
    names = [each.text for each in read_html(interval_plot(WIDE, "ratings")).all("text")]
    assert {"a" * 21 + "…", "<b>"} <= set(names)


def test_a_chart_has_its_title_as_its_accessible_name() -> None:
    (drawn,) = read_html(gauge(1, -3, 3, "a < b")).all("svg")
    assert drawn.attributes["aria-label"] == "a < b"
