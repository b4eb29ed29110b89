"""The metrics of the htttx server; docs/monitoring.md explains each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Histogram

from bot.runtime.metrics import ClosedCounter, Reading, Readings

PREFIX: Final = "bluestone_htttx_"
APIS: Final = ("stateless", "basic_websocket")
OUTCOMES: Final = (
    *("answered", "bad_request", "unreachable", "wrong_side", "illegal_turn", "no_choice"),
    *("partial_turn", "finished", "too_large", "busy", "too_hard", "no_token", "origin"),
    *("bad_packet", "no_setup", "nothing_asked", "too_many_packets"),
)
BUCKETS: Final = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 300.0)


@dataclass(frozen=True)
class HtttxMetrics:
    """What is counted. `requests` has the labels api and outcome."""

    requests: ClosedCounter
    seconds: Histogram


def htttx_metrics(registry: CollectorRegistry, games: Callable[[], float]) -> HtttxMetrics:
    """Make what is counted, and read the number of open games at each scrape."""
    name, text = f"{PREFIX}games_open", "WebSocket games that are open."
    Readings(registry, [Reading(name, text, games)])
    return HtttxMetrics(
        requests=ClosedCounter(
            registry,
            f"{PREFIX}requests_total",
            "Requests for a turn, by their outcome.",
            api=APIS,
            outcome=OUTCOMES,
        ),
        seconds=Histogram(
            f"{PREFIX}answer_seconds",
            "Time from a request to its answer, waiting included.",
            registry=registry,
            buckets=BUCKETS,
        ),
    )
