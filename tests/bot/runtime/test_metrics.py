import platform
import sys
from collections.abc import Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from bot import __version__
from bot.runtime.metrics import (
    ClosedCounter,
    Reading,
    Readings,
    Samples,
    latency,
    metrics_handler,
    new_registry,
)


async def page(registry: CollectorRegistry, accept: str = "") -> tuple[str, dict[str, str]]:
    app = web.Application()
    app.router.add_get("/metrics", metrics_handler(registry))
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/metrics", headers={"Accept": accept})
        assert answer.status == 200
        return await answer.text(), dict(answer.headers)


def test_a_registry_has_the_process_and_the_build() -> None:
    registry = new_registry()
    version = {"version": __version__, "python": platform.python_version()}
    assert registry.get_sample_value("bluestone_build_info", version) == 1
    names = {each.name for each in registry.collect()}
    if sys.platform == "linux":
        wanted = {"process_resident_memory_bytes", "process_open_fds", "process_max_fds"}
        assert wanted < names


def test_registries_share_nothing() -> None:
    first, second = new_registry(), new_registry()
    counter = ClosedCounter(first, "bluestone_test_refusals_total", "Refusals.", code=["a"])
    ClosedCounter(second, "bluestone_test_refusals_total", "Refusals.", code=["a"])
    counter.inc("a")
    assert first.get_sample_value("bluestone_test_refusals_total", {"code": "a"}) == 1
    assert second.get_sample_value("bluestone_test_refusals_total", {"code": "a"}) == 0


def test_a_closed_counter_starts_at_0_and_counts_unknown_values_as_other() -> None:
    registry = CollectorRegistry()
    counter = ClosedCounter(registry, "c_total", "Games.", game=["go", "hex"], result=["won"])

    def value(game: str, result: str) -> float | None:
        return registry.get_sample_value("c_total", {"game": game, "result": result})

    assert value("go", "won") == value("other", "other") == 0
    counter.inc("go", "won", amount=2)
    for name in range(100):
        counter.inc(f"invented {name}", "won")
    assert (value("go", "won"), value("other", "won"), value("hex", "won")) == (2, 100, 0)
    assert len(next(iter(registry.collect())).samples) == 3 * 2
    with pytest.raises(ValueError, match="zip"):
        counter.inc("go")


def test_readings_ask_at_each_scrape() -> None:
    registry = CollectorRegistry()
    queue: list[int] = []
    Readings(registry, [Reading("queue_jobs", "Jobs.", lambda: len(queue))])
    assert registry.get_sample_value("queue_jobs") == 0
    queue.append(1)
    assert registry.get_sample_value("queue_jobs") == 1


def test_readings_have_labels_counters_and_nothing_to_show() -> None:
    registry = CollectorRegistry()
    age: Samples = None
    readings = [
        Reading("sockets", "Sockets.", lambda: {"bot": 2, "person": 1}, ("kind",)),
        Reading("games", "Games.", lambda: {("go", "live"): 3}, ("game", "clock")),
        Reading("stopped_seconds_total", "Seconds.", lambda: 1.5, kind="counter"),
        Reading("age_seconds", "Age.", lambda: age),
    ]
    Readings(registry, readings)
    assert registry.get_sample_value("sockets", {"kind": "bot"}) == 2
    assert registry.get_sample_value("games", {"game": "go", "clock": "live"}) == 3
    assert registry.get_sample_value("stopped_seconds_total") == 1.5
    assert registry.get_sample_value("age_seconds") is None
    with pytest.raises(ValueError, match="sockets"):
        Readings(registry, [Reading("sockets", "Sockets.", lambda: 1)])


async def test_a_reading_that_fails_leaves_the_others_on_the_page() -> None:
    registry = CollectorRegistry()
    Readings(registry, [Reading("bad", "Bad.", lambda: 1 / 0), Reading("good", "Good.", lambda: 1)])
    text, _ = await page(registry)
    assert "good 1.0" in text
    assert "bad" not in text


@pytest.mark.parametrize(
    ("accept", "content_type", "read"),
    [
        ("", "text/plain", read_text),
        (
            "application/openmetrics-text; version=1.0.0",
            "application/openmetrics-text",
            read_openmetrics,
        ),
    ],
)
async def test_the_page_is_in_the_format_that_the_request_asks_for_and_is_not_cached(
    accept: str, content_type: str, read: Callable[[str], list[object]]
) -> None:
    registry = new_registry()
    latency(registry, "bluestone_test_turn_seconds", "Turns.").observe(0.002)
    text, headers = await page(registry, accept)
    assert headers["Content-Type"].startswith(content_type)
    assert headers["Cache-Control"] == "no-store"
    families = {each.name: each for each in read(text)}  # type: ignore[attr-defined]
    samples = families["bluestone_test_turn_seconds"].samples  # type: ignore[attr-defined]
    counts = {each.labels["le"]: each.value for each in samples if "le" in each.labels}
    assert (counts["0.001"], counts["0.002"], counts["+Inf"]) == (0, 1, 1)
    assert "_created" not in text
