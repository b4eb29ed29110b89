"""A reliability diagram: what engines state against what came, and below it how often they do."""

from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree.ElementTree import Element

from bot.bench.calibration import Calibration
from bot.bench.forecasts import Bin
from bot.bench.plots import BELOW, LEFT, RIGHT, TOP, Axis, Frame, document, legend
from bot.drawing.svg import element, label, lines

SIDE: Final = 400
COUNTS: Final = 90
"""How tall the bars of the most frequent bin are."""
GAP: Final = 76
TICKS: Final = [(tenth / 10, f"{tenth * 10} %") for tenth in range(0, 11, 2)]


def reliability_diagram(found: Sequence[Calibration]) -> str:
    """An SVG document; dots on the diagonal are perfect, bars show standard errors."""
    first = found[0]
    frame = Frame(
        Axis(0, 1, TICKS, f"stated after {first.playouts:,} playouts"),
        Axis(0, 1, TICKS, "result"),
        SIDE,
        SIDE,
    )
    names = [
        f"{each.engine}: Brier {each.score.brier:.3f}, calibration error {each.expected_error:.3f}"
        for each in found
    ]
    parts = [*frame.grid(), frame.polyline("guide", [(0, 0), (1, 1)])]
    for place, each in enumerate(found):
        parts += _series(frame, place, each)
    parts += legend(names, (LEFT + 60, 14))
    floor = TOP + SIDE + GAP + COUNTS
    parts += _counts(frame, found, floor)
    title = f"Calibration on {first.score.count:,} positions of {first.game}, {first.board}"
    return document(title, LEFT + SIDE + RIGHT, floor + BELOW - 24, parts)


def _series(frame: Frame, place: int, calibration: Calibration) -> Iterable[Element]:
    """Line, dots and standard errors of one engine."""
    points = [
        (each.stated, each.result, each.error or 0.0)
        for each in calibration.bins
        if each.stated is not None and each.result is not None
    ]
    yield frame.polyline(f"series-{place}", [(x, y) for x, y, _ in points])
    for x, y, error in points:
        ends = frame.place(x, max(0, y - error)), frame.place(x, min(1, y + error))
        yield lines(f"series-{place}", [ends])
        yield frame.dot(f"dot-{place}", x, y)


def _counts(frame: Frame, found: Sequence[Calibration], floor: float) -> Iterable[Element]:
    """How many positions are in each bin, engines side by side."""
    most = max(each.count for calibration in found for each in calibration.bins)
    yield label("title", (LEFT + SIDE / 2, floor + 20), "how often it is stated")
    for place, calibration in enumerate(found):
        for each in calibration.bins:
            yield _bar(frame, each, place, len(found), COUNTS * each.count / most, floor)


def _bar(frame: Frame, each: Bin, place: int, series: int, tall: float, floor: float) -> Element:
    left, right = frame.place(each.low, 0)[0] + 3, frame.place(each.high, 0)[0] - 3
    width = (right - left) / series
    box = {"x": left + place * width, "y": floor - tall, "width": width - 1, "height": tall}
    return element("rect", f"bar-{place}", **box)
