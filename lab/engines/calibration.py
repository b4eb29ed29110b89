"""Calibration: the values that an engine states for positions, compared with the results."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final
from xml.etree.ElementTree import Element

import engine
from bot.drawing.charts import BELOW, LEFT, RIGHT, TOP, Axis, PlotFrame, document, legend
from bot.drawing.svg import element, label, lines
from engine.training.weights import network_from
from lab.engines.forecasts import (
    Bin,
    Difference,
    Forecast,
    Score,
    bins,
    brier,
    calibration_error,
    gain,
)
from lab.engines.mixed_games import (
    DIFFERENT,
    Contestant,
    Sample,
    built_in,
    sample_positions,
    search,
)

WITH: Final = "with network"
WITHOUT: Final = "without network"
REPORT_EVERY: Final = 100
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Calibration:
    """The calibration of one engine.

    `expected_error` is the expected calibration error. `gain` is how much lower its Brier score is
    than that of the engine without a network.
    """

    engine: str
    game: str
    board: str
    playouts: int
    score: Score
    expected_error: float
    bins: Sequence[Bin]
    gain: Difference | None = None

    def as_json(self) -> dict[str, object]:
        """Return all figures as JSON."""
        return asdict(self)


def measure(
    game: engine.Game,
    positions: int,
    playouts: int,
    seed: int,
    on_progress: Progress,
    contestants: Sequence[Contestant] = DIFFERENT,
) -> list[Calibration]:
    """Measure the engine with its network, if the board has one, and without it, on the same
    positions.
    """
    samples = list[Sample]()
    for sample in sample_positions(game, positions, contestants, seed):
        samples.append(sample)
        if len(samples) % REPORT_EVERY == 0:
            on_progress(f"{len(samples)} of {positions} positions from {sample.game + 1} games")
    without = _stated(samples, playouts, WITHOUT, seed, on_progress)
    found = [calibration(WITHOUT, game, playouts, without)]
    if network_from(game, None) is not None:
        with_it = _stated(samples, playouts, WITH, seed, on_progress)
        better = calibration(WITH, game, playouts, with_it)
        found.insert(0, replace(better, gain=gain(with_it, without)))
    return found


def calibration(
    name: str, game: engine.Game, playouts: int, forecasts: Sequence[Forecast]
) -> Calibration:
    """Compute the calibration from one engine's forecasts."""
    found = bins(forecasts)
    return Calibration(
        engine=name,
        game=game.name,
        board=game.board.name,
        playouts=playouts,
        score=brier(forecasts),
        expected_error=calibration_error(found),
        bins=found,
    )


def _stated(
    samples: Sequence[Sample], playouts: int, name: str, seed: int, on_progress: Progress
) -> list[Forecast]:
    """Return the values that an engine states. Each search starts with an empty tree."""
    player = built_in({"Network": name == WITH, "Seed": seed})
    forecasts = []
    for number, sample in enumerate(samples, start=1):
        player.new_game()
        choice = search(player, sample.position, playouts)
        forecasts.append(Forecast(choice.value, sample.result, sample.game))
        if number % REPORT_EVERY == 0:
            on_progress(f"{name}: {number} of {len(samples)}")
    return forecasts


SIDE: Final = 400
COUNTS: Final = 90
"""The height of the bars of the most frequent bin."""
GAP: Final = 76
TICKS: Final = [(tenth / 10, f"{tenth * 10} %") for tenth in range(0, 11, 2)]


def reliability_diagram(found: Sequence[Calibration]) -> str:
    """Draw an SVG chart. Dots on the diagonal are perfect; bars show standard errors."""
    first = found[0]
    frame = PlotFrame(
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


def _series(frame: PlotFrame, place: int, calibration: Calibration) -> Iterable[Element]:
    """Draw the line, dots and standard errors of one engine."""
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


def _counts(frame: PlotFrame, found: Sequence[Calibration], floor: float) -> Iterable[Element]:
    """Draw the number of positions in each bin, with the engines side by side."""
    most = max(each.count for calibration in found for each in calibration.bins)
    yield label("title", (LEFT + SIDE / 2, floor + 20), "how often it is stated")
    for place, calibration in enumerate(found):
        for each in calibration.bins:
            yield _bar(frame, each, place, len(found), COUNTS * each.count / most, floor)


def _bar(
    frame: PlotFrame, each: Bin, place: int, series: int, tall: float, floor: float
) -> Element:
    left, right = frame.place(each.low, 0)[0] + 3, frame.place(each.high, 0)[0] - 3
    width = (right - left) / series
    box = {"x": left + place * width, "y": floor - tall, "width": width - 1, "height": tall}
    return element("rect", f"bar-{place}", **box)
