"""Quantiles of measured times."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import HostError


@dataclass(frozen=True)
class Times:
    """Quantiles in milliseconds."""

    count: int
    median: float
    p90: float
    p95: float
    p99: float
    highest: float


def summary(times_ms: Sequence[float]) -> Times:
    """Raises HostError without at least two times."""
    if len(times_ms) < 2:
        raise HostError(f"too few times for a summary: {len(times_ms)}")
    cuts = statistics.quantiles(times_ms, n=100, method="inclusive")
    return Times(
        count=len(times_ms),
        median=round(statistics.median(times_ms), 2),
        p90=round(cuts[89], 2),
        p95=round(cuts[94], 2),
        p99=round(cuts[98], 2),
        highest=round(max(times_ms), 2),
    )
