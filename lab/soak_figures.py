"""The figures of a soak: series from its samples, their slopes, charts and a page."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

from prometheus_client.parser import text_string_to_metric_families

from bot.drawing.charts import (
    BELOW,
    LEFT,
    RIGHT,
    TOP,
    Axis,
    PlotFrame,
    document,
    legend,
    ticks_between,
)

Point = tuple[float, float]
HOUR_S: Final = 3600.0
MINUTE_S: Final = 60.0
MEBIBYTES: Final = "MiB"
KB_IN_MIB: Final = 1024
ERRORS: Final = 2.0
"""A slope within this many standard errors of 0 is flat."""


@dataclass(frozen=True)
class Sample:
    """The state after `seconds`, by name.

    `values` are counters and gauges. `buckets` have the counts of histograms so far, by upper bound
    and cumulative, as Prometheus has them.
    """

    seconds: float
    values: dict[str, float]
    buckets: dict[str, dict[str, float]]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def parsed(text: str, program: str) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the values and the buckets of a page in the format of Prometheus.

    Samples that differ only in labels are added. Names begin with the program if they do not name
    it, as those of a process do.
    """
    values: defaultdict[str, float] = defaultdict(float)
    buckets: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            name = sample.name
            if not name.startswith("bluestone_"):
                name = f"{program}_{name}"
            if name.endswith("_bucket"):
                buckets[name.removesuffix("_bucket")][sample.labels["le"]] += sample.value
            else:
                values[name] += sample.value
    return dict(values), {name: dict(counts) for name, counts in buckets.items()}


# ---- series ----------------------------------------------------------------------------------


def gauge(samples: Sequence[Sample], name: str, scale: float = 1.0) -> list[Point]:
    """Return the values of a gauge, each divided by `scale`."""
    return [(each.seconds, each.values[name] / scale) for each in samples if name in each.values]


def by_minute(samples: Sequence[Sample]) -> list[list[Sample]]:
    """Return the samples of each minute, with the first one of the next minute at the end."""
    minutes: defaultdict[int, list[Sample]] = defaultdict(list)
    for each in samples:
        minutes[int(each.seconds // MINUTE_S)].append(each)
    parts = [minutes[number] for number in sorted(minutes)]
    return [[*part, *following[:1]] for part, following in pairwise([*parts, []])]


def rate(samples: Sequence[Sample], name: str) -> list[Point]:
    """Return the increase of a counter per minute, for each minute. A restart counts from 0."""
    found = []
    for minute in by_minute(samples):
        points = gauge(minute, name)
        if len(points) > 1 and points[-1][0] > points[0][0]:
            rises = (
                now if now < before else now - before for (_, before), (_, now) in pairwise(points)
            )
            seconds = points[-1][0] - points[0][0]
            found.append((points[0][0], sum(rises) * MINUTE_S / seconds))
    return found


def latency(samples: Sequence[Sample], name: str, share: float) -> list[Point]:
    """Return a quantile of a histogram in milliseconds, for each minute with any observation."""
    found = []
    for minute in by_minute(samples):
        both = [each for each in minute if name in each.buckets]
        if len(both) > 1:
            value = quantile(increase(both[0].buckets[name], both[-1].buckets[name]), share)
            if value is not None:
                found.append((both[0].seconds, value * 1000))
    return found


def increase(before: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    """Return what a histogram has counted between two moments; all of it after a restart."""
    if any(now[bound] < before.get(bound, 0) for bound in now):
        return dict(now)
    return {bound: now[bound] - before.get(bound, 0) for bound in now}


def quantile(buckets: Mapping[str, float], share: float) -> float | None:
    """Return the quantile as Prometheus computes it; None if nothing was counted.

    In the last bucket, which has no upper bound, it is the lower bound.
    """
    counts = sorted((float(bound), count) for bound, count in buckets.items())
    wanted = share * counts[-1][1]
    low, below = 0.0, 0.0
    for bound, count in counts:
        if count >= wanted and count > below:
            inside = (wanted - below) / (count - below)
            return low if math.isinf(bound) else low + (bound - low) * inside
        low, below = bound, count
    return None


# ---- slopes ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slope:
    """A change per hour with its standard error, by least squares, and the mean value.

    `bound` is the largest change per hour that counts as flat in any case.
    """

    name: str
    unit: str
    mean: float
    per_hour: float
    error: float
    bound: float

    @property
    def is_flat(self) -> bool:
        """Whether it does not rise: a fall harms nobody."""
        return self.per_hour <= max(ERRORS * self.error, self.bound)


def slope(name: str, unit: str, points: Sequence[Point], bound: float) -> Slope:
    """Fit a line. There must be at least four points.

    Neighbouring values are alike, so fewer of them are independent than there are. The error is
    therefore raised by the correlation of the residuals of neighbours.
    """
    hours = [seconds / HOUR_S for seconds, _ in points]
    values = [value for _, value in points]
    line = statistics.linear_regression(hours, values)
    residuals = [v - line.intercept - line.slope * h for h, v in zip(hours, values, strict=True)]
    squares = sum(each * each for each in residuals)
    middle = statistics.fmean(hours)
    spread = sum((each - middle) ** 2 for each in hours)
    error = math.sqrt(squares / (len(points) - 2) / spread)
    products = sum(one * two for one, two in pairwise(residuals))
    alike = min(max(products / squares, 0.0), 0.99) if squares else 0.0
    error *= math.sqrt((1 + alike) / (1 - alike))
    return Slope(name, unit, statistics.fmean(values), line.slope, error, bound)


# ---- charts ----------------------------------------------------------------------------------

WIDTH: Final = 640
HEIGHT: Final = 220
MOST_TICKS: Final = 6


@dataclass(frozen=True)
class Figure:
    """Series of one unit in one chart. `share` of the mean per hour is flat in any case, and so is
    `least` in the unit.
    """

    file: str
    title: str
    unit: str
    series: Mapping[str, Sequence[Point]]
    share: float
    least: float

    def slopes(self, warm_up_s: float) -> list[Slope]:
        """Return the slopes after the warm-up of all series that have enough points."""
        found = []
        for name, points in self.series.items():
            late = [point for point in points if point[0] >= warm_up_s]
            if len(late) >= MOST_TICKS:
                bound = max(self.least, self.share * statistics.fmean(value for _, value in late))
                found.append(slope(f"{self.title}, {name}", self.unit, late, bound))
        return found

    def drawn(self) -> str:
        """Return the chart as SVG."""
        shown = {name: points for name, points in self.series.items() if points}
        frame = _frame([point for points in shown.values() for point in points], self.unit)
        parts = [*frame.grid()]
        for place, points in enumerate(shown.values()):
            parts.append(frame.polyline(f"series-{place}", [(x / MINUTE_S, y) for x, y in points]))
        parts += legend(list(shown), (LEFT + WIDTH - 150, TOP + 18))
        return document(self.title, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW, parts)


def _frame(points: Iterable[Point], unit: str) -> PlotFrame:
    minutes, values = zip(*((x / MINUTE_S, y) for x, y in points), strict=True)
    across = ticks_between(0, max(*minutes, 1.0), MOST_TICKS)
    up = ticks_between(0, max(*values, 1.0) * 1.2, MOST_TICKS)
    return PlotFrame(
        Axis(across[0], across[-1], [(tick, f"{tick:g}") for tick in across], "minutes"),
        Axis(up[0], up[-1], [(tick, f"{tick:g}") for tick in up], unit),
        WIDTH,
        HEIGHT,
    )


MIB: Final = 1024.0 * 1024.0
COMMIT: Final = "bluestone_arena_turn_commit_seconds"
PLAYER: Final = "player_turn_seconds"


def figures(samples: Sequence[Sample]) -> list[Figure]:
    """Return all figures of a soak."""

    def all_of(
        names: Mapping[str, str], make: Callable[[Sequence[Sample], str], list[Point]]
    ) -> dict[str, list[Point]]:
        return {label: make(samples, name) for label, name in names.items()}

    memory = {"arena": "arena_memory", "bot": "bot_memory", "engines": "engines_memory"}
    files = {"arena": "arena_descriptors", "bot": "bot_descriptors"}
    counts = {"games": "games", "turns": "turns", "turns on the platform": "site_turns"}
    quantiles = {"p50": 0.5, "p99": 0.99}
    latencies = {
        f"{share} {label}": latency(samples, name, value)
        for label, name in (("at a player", PLAYER), ("at the arena, to disk", COMMIT))
        for share, value in quantiles.items()
    }
    return [
        Figure(
            "soak-memory",
            "Resident memory",
            MEBIBYTES,
            all_of(memory, lambda each, name: gauge(each, name, MIB)),
            share=0.05,
            least=5.0,
        ),
        Figure("soak-descriptors", "Open files", "files", all_of(files, gauge), 0.05, 2.0),
        Figure("soak-latency", "Latency of a turn, by minute", "ms", latencies, 0.2, 1.0),
        Figure("soak-rates", "Played per minute", "per minute", all_of(counts, rate), math.inf, 0),
    ]


def page_section(slopes: Sequence[Slope]) -> str:
    """Return the table of the slopes for a page."""
    lines = [
        "| what | mean | slope per hour | standard error | bound | |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for each in slopes:
        verdict = "flat" if each.is_flat else "RISES"
        bound = "-" if math.isinf(each.bound) else f"{each.bound:.2f}"
        lines.append(
            f"| {each.name} | {each.mean:.2f} {each.unit} | {each.per_hour:+.2f} |"
            f" {each.error:.2f} | {bound} | {verdict} |"
        )
    return "\n".join(lines)


def growth(slopes: Sequence[Slope], games_per_hour: float) -> str:
    """Return a list of the memory that certainly grows, in kB a game, for a page."""
    lines = [
        f"- {each.name}: {each.per_hour * KB_IN_MIB / games_per_hour:.2f} kB a game"
        for each in slopes
        if each.unit == MEBIBYTES and each.per_hour > ERRORS * each.error
    ]
    return "\n".join(lines) or "- none"
