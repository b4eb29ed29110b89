"""Brier scores over the playouts of a search, with the network, without it, and of it alone."""

import math
from typing import Final

from bot.bench.foresight import WITH, WITHOUT
from bot.bench.network import NetworkReport
from bot.bench.plots import BELOW, LEFT, RIGHT, TOP, Axis, Frame, document, legend
from bot.drawing.svg import label

WIDTH: Final = 520
HEIGHT: Final = 300
STEP: Final = 0.05
JUDGES: Final = (WITH, WITHOUT)


def foresight_chart(report: NetworkReport) -> str:
    """An SVG document; the lower the better."""
    alone = next(each.mean.brier for each in report.foresight if each.playouts is None)
    series = [
        [
            (math.log10(each.playouts), each.mean.brier)
            for each in report.foresight
            if each.source == judge.name and each.playouts is not None
        ]
        for judge in JUDGES
    ]
    frame = _frame([*series[0], *series[1]], alone)
    parts = [*frame.grid()]
    parts.append(frame.polyline("guide", [(frame.across.low, alone), (frame.across.high, alone)]))
    left, y = frame.place(frame.across.low, alone)
    parts.append(label("left", (left + 8, y + 16), f"network alone {alone:.3f}"))
    for place, points in enumerate(series):
        parts.append(frame.polyline(f"series-{place}", points))
        parts += [frame.dot(f"dot-{place}", *point) for point in points]
    parts += legend([judge.name for judge in JUDGES], (LEFT + WIDTH - 150, TOP + 18))
    title = f"Brier score of what is expected, {report.game}, {report.board}"
    return document(title, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW, parts)


def _frame(points: list[tuple[float, float]], alone: float) -> Frame:
    """Round numbers enclose the scores; playouts are on a logarithmic scale."""
    scores = [alone, *(score for _, score in points)]
    low, high = math.floor(min(scores) / STEP), math.floor(max(scores) / STEP) + 1
    ticks = [(tick * STEP, f"{tick * STEP:.2f}") for tick in range(low, high + 1)]
    playouts = sorted({power for power, _ in points})
    across = [(power, f"{10**power:,.0f}") for power in playouts]
    return Frame(
        Axis(playouts[0], playouts[-1], across, "playouts"),
        Axis(low * STEP, high * STEP, ticks, "Brier score"),
        WIDTH,
        HEIGHT,
    )
