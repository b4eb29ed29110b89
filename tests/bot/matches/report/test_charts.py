"""Charts: round numbers on their axes, and nothing outside of them."""

import pytest

from bot.drawing.charts import ticks_between
from bot.matches.report.charts import WIDTH, Interval, histogram, interval_plot
from tests.bot.matches.report.html_reader import read_html


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


def test_intervals_stay_inside() -> None:
    wide = [Interval("a" * 60, 0, -900, 900), Interval("<b>", 100, 100, 100)]
    drawn = read_html(interval_plot(wide, "ratings"))
    for each in drawn.all("line"):
        assert 0 <= float(each.attributes["x1"]) <= float(each.attributes["x2"]) <= WIDTH
