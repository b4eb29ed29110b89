"""The figures of a soak, from samples with known slopes and quantiles; a short soak of all
programs.
"""

import random
from pathlib import Path

import orjson
import pytest

from lab.soak import SoakVerdict, measure, write_page
from lab.soak_figures import (
    PLAYER,
    Sample,
    Slope,
    figures,
    growth,
    increase,
    latency,
    parsed,
    quantile,
    rate,
    slope,
)
from tests.chaos.trial import CAN_FILL_DISKS

PAGE = """\
# TYPE bluestone_arena_turns_total counter
bluestone_arena_turns_total{game="bluestone"} 3
bluestone_arena_turns_total{game="blooms"} 4
# TYPE process_open_fds gauge
process_open_fds 11
# TYPE bluestone_arena_turn_commit_seconds histogram
bluestone_arena_turn_commit_seconds_bucket{le="0.01"} 5
bluestone_arena_turn_commit_seconds_bucket{le="+Inf"} 6
bluestone_arena_turn_commit_seconds_count 6
bluestone_arena_turn_commit_seconds_sum 0.05
"""


def at(seconds: float, **values: float) -> Sample:
    return Sample(seconds, values, {})


def test_a_page_of_metrics_is_added_up_over_its_labels() -> None:
    values, buckets = parsed(PAGE, "arena")
    assert values["bluestone_arena_turns_total"] == 7
    assert values["arena_process_open_fds"] == 11
    assert buckets == {"bluestone_arena_turn_commit_seconds": {"0.01": 5, "+Inf": 6}}


def test_a_quantile_is_interpolated_in_its_bucket() -> None:
    assert quantile({"1.0": 10, "2.0": 20, "+Inf": 20}, 0.5) == 1.0
    assert quantile({"1.0": 10, "2.0": 20, "+Inf": 20}, 0.75) == 1.5
    assert quantile({"1.0": 0, "+Inf": 4}, 0.99) == 1.0
    assert quantile({"1.0": 0, "+Inf": 0}, 0.5) is None


def test_a_histogram_counts_from_zero_after_a_restart() -> None:
    assert increase({"1.0": 5, "+Inf": 9}, {"1.0": 7, "+Inf": 12}) == {"1.0": 2, "+Inf": 3}
    assert increase({"1.0": 5, "+Inf": 9}, {"1.0": 1, "+Inf": 2}) == {"1.0": 1, "+Inf": 2}


def test_rates_and_latencies_are_of_whole_minutes() -> None:
    samples = [at(second, turns=second * 2) for second in range(0, 121, 5)]
    assert rate(samples, "turns") == [(0, 120), (60, 120)]
    waits = [
        Sample(second, {}, {PLAYER: {"0.001": second, "0.01": second * 2, "inf": second * 2}})
        for second in range(0, 121, 5)
    ]
    assert latency(waits, PLAYER, 0.5) == [(0, 1.0), (60, 1.0)]


def test_noise_is_flat_and_a_leak_is_not() -> None:
    rng = random.Random(1)
    noise = [(second, 100 + rng.gauss(0, 3)) for second in range(0, 3600, 5)]
    found = slope("noise", "MiB", noise, 0)
    assert found.is_flat
    assert found.error == pytest.approx(3 / (720 / 12) ** 0.5, rel=0.1)
    leak = [(second, value + second / 360) for second, value in noise]
    found = slope("leak", "MiB", leak, 5)
    assert not found.is_flat
    assert found.per_hour == pytest.approx(10, abs=3 * found.error)


def test_correlated_values_have_a_larger_error() -> None:
    rng = random.Random(2)
    steps, value = [], 0.0
    for second in range(0, 3600, 5):
        value = 0.9 * value + rng.gauss(0, 1)
        steps.append((second, value))
    shuffled = [value for _, value in steps]
    rng.shuffle(shuffled)
    mixed = [(second, value) for (second, _), value in zip(steps, shuffled, strict=True)]
    assert slope("", "", steps, 0).error > 2 * slope("", "", mixed, 0).error


def test_certain_growth_of_memory_is_shared_among_the_games() -> None:
    grows = Slope("memory, bot", "MiB", 200, 5.0, 0.1, 10)
    unsure = Slope("memory, arena", "MiB", 200, 5.0, 4.0, 10)
    others = Slope("files", "files", 30, 5.0, 0.1, 10)
    assert growth([grows, unsure, others], 10_240) == "- memory, bot: 0.50 kB a game"
    assert growth([unsure], 10_240) == "- none"


def test_a_page_has_each_slope_and_each_chart(tmp_path: Path) -> None:
    samples = [at(second, arena_memory=2.0**26, games=second) for second in range(0, 600, 5)]
    slopes = [each for figure in figures(samples) for each in figure.slopes(60)]
    write_page(SoakVerdict(10, 1, 120, 595, 0, 0, 0, slopes, []), samples, tmp_path)
    page = (tmp_path / "soak.md").read_text()
    assert "| Resident memory, arena | 64.00 MiB | +0.00 | 0.00 | 5.00 | flat |" in page
    for name in ("soak-memory", "soak-rates"):
        assert f"(images/{name}.svg)" in page
        assert (tmp_path / "images" / f"{name}.svg").read_text().startswith("<svg")


@pytest.mark.nightly
@pytest.mark.e2e
@pytest.mark.xdist_group("chaos")
@pytest.mark.timeout(300)
@pytest.mark.skipif(not CAN_FILL_DISKS, reason="reads /proc")
async def test_a_short_soak_plays_everywhere_and_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "soak.jsonl"
    found = await measure(0.25, 0.0, 1, file, lambda _: None)
    assert found.problems == []
    assert found.games > 0
    assert found.platform_turns > 0
    samples = [Sample(**orjson.loads(line)) for line in file.read_bytes().splitlines()]
    assert len(samples) == 4
    assert samples[-1].values["bot_memory"] > 1e7
    assert samples[-1].buckets[PLAYER]["inf"] > 0
