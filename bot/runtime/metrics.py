"""Metrics in the format of Prometheus: the registry of a process, counters, readings, the page.

A program makes one registry with `new_registry` and passes it on; there are no global metrics. A
metric is defined in one of two ways:

- What happens is counted where it happens: `ClosedCounter`, or a `Counter` or `Histogram` of
  prometheus_client. The program keeps these objects in a frozen dataclass and passes it to the code
  that counts.
- What already exists as the state of an object is not counted a second time. A `Reading` asks the
  object at each scrape.

Names follow https://prometheus.io/docs/practices/naming/: `bluestone_arena_...` or
`bluestone_bot_...`, then the subject, then the base unit (`seconds`, `bytes`), then `total` for a
counter. Label values come from closed sets. Names of players, ids and addresses are never labels,
because each new value would be another time series for ever.
"""

import platform
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, Literal

import structlog
from aiohttp import web
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.aiohttp import make_aiohttp_handler
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from bot import __version__

OTHER: Final = "other"
"""The label value for everything outside a closed set."""

LATENCY_BUCKETS: Final = (
    *(0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
)
"""Upper bounds in seconds for what takes milliseconds when all is well: turns and commits."""

log = structlog.get_logger()


def new_registry() -> CollectorRegistry:
    """The registry of this process, with its memory, descriptors, processor time and build.

    The metrics `process_...` exist only where there is a /proc, so not on macOS.
    """
    # One more time series for each counter, which no query needs.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    build = Info("bluestone_build", "The versions of Bluestone and Python.", registry=registry)
    build.info({"version": __version__, "python": platform.python_version()})
    return registry


class ClosedCounter:
    """A counter whose labels take values of closed sets only. Other values count as `other`.

    All time series exist from the start with the value 0, so that `increase` sees the first event.
    """

    def __init__(
        self, registry: CollectorRegistry, name: str, text: str, **labels: Iterable[str]
    ) -> None:
        counter = Counter(name, text, list(labels), registry=registry)
        sets = [dict.fromkeys((*values, OTHER)) for values in labels.values()]
        self._sets = sets
        self._children = {values: counter.labels(*values) for values in product(*sets)}

    def inc(self, *values: str, amount: float = 1) -> None:
        """Count an event; `values` in the order of the labels."""
        child = self._children.get(values)
        if child is None:
            known = zip(values, self._sets, strict=True)
            child = self._children[
                tuple(value if value in allowed else OTHER for value, allowed in known)
            ]
        child.inc(amount)


def latency(registry: CollectorRegistry, name: str, text: str) -> Histogram:
    """A histogram of durations in seconds, from a millisecond to five seconds."""
    return Histogram(name, text, registry=registry, buckets=LATENCY_BUCKETS)


Samples = float | Mapping[Any, float] | None
"""What a reading gives: a value; one for each value of its label, or for each tuple of values of
its labels; or None while there is nothing to show.
"""


@dataclass(frozen=True)
class Reading:
    """A metric whose value is read at each scrape. The name of a counter ends in `_total`.

    `read` runs in the event loop's thread and must not wait.
    """

    name: str
    text: str
    read: Callable[[], Samples]
    labels: tuple[str, ...] = ()
    kind: Literal["gauge", "counter"] = "gauge"

    def empty(self) -> GaugeMetricFamily | CounterMetricFamily:
        make = CounterMetricFamily if self.kind == "counter" else GaugeMetricFamily
        return make(self.name, self.text, labels=self.labels)

    def sampled(self) -> Metric:
        """The metric with its present samples. Raises what `read` raises."""
        family, found = self.empty(), self.read()
        if isinstance(found, Mapping):
            for values, value in found.items():
                family.add_metric([values] if isinstance(values, str) else list(values), value)
        elif found is not None:
            family.add_metric([], found)
        return family


class Readings(Collector):
    """A collector of readings. One that raises is logged and left out of the page."""

    def __init__(self, registry: CollectorRegistry, readings: Sequence[Reading]) -> None:
        self._readings = readings
        registry.register(self)

    def describe(self) -> list[Metric]:
        """The metrics without samples; the registry refuses names that it has already."""
        return [each.empty() for each in self._readings]

    def collect(self) -> list[Metric]:
        found = []
        for reading in self._readings:
            try:
                found.append(reading.sampled())
            except Exception:
                log.exception("metric_not_read", metric=reading.name)
        return found


def metrics_handler(
    registry: CollectorRegistry,
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """The handler for GET /metrics: text or OpenMetrics, as the request asks, never cached."""
    expose = make_aiohttp_handler(registry)

    async def metrics(request: web.Request) -> web.StreamResponse:
        response = await expose(request)
        response.headers["Cache-Control"] = "no-store"
        return response

    return metrics
