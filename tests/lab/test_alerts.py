"""Alerts and dashboards under a real Prometheus that scrapes real programs."""

import asyncio
import math
import random
import re
import shutil
import time
from pathlib import Path
from typing import Final

import pytest

from bot.errors import HostError
from tests.chaos.scene import ARENA, Terms, playing
from tests.chaos.trial import CAN_FILL_DISKS
from tests.docs.test_monitoring import DASHBOARDS, PAGE, alerts, queries_of
from tests.lab.alerts import ALERTS, TRIALS, UNTRIED, try_alert
from tests.lab.prometheus import Prometheus, scraping, shortened
from tests.skipping import skip

ANSWER_S: Final = 90.0
EVERY_S: Final = 2
RULES: Final = """\
      - alert: Slow
        expr: rate(turns_total[2h]) > 3600 and rate(turns_total[5m]) > 5
        for: 15m
      - alert: Down
        expr: up == 0
        for: 1m
"""


def test_times_of_rules_are_shortened_as_far_as_prometheus_can_follow() -> None:
    assert shortened(RULES, 2) == (
        RULES.replace("[2h]", "[240s]")
        .replace("[5m]", "[20s]")
        .replace("for: 15m", "for: 30s")
        .replace("for: 1m", "for: 4s")
    )


def test_a_threshold_that_no_rule_has_cannot_be_changed() -> None:
    assert "rate(turns_total[240s]) > 60" in shortened(RULES, 2, [("> 3600", "> 60")])
    with pytest.raises(HostError, match="> 7200"):
        shortened(RULES, 2, [("> 7200", "> 120")])


def test_every_alert_has_a_fault() -> None:
    assert [*TRIALS, *UNTRIED] == list(alerts())


def test_the_page_has_the_fault_of_every_alert_and_what_was_scaled() -> None:
    rows = re.findall(r"^\| (Bluestone\w+) \| (.*) \| (.*) \| \d+ \| \d+ \|$", PAGE, re.MULTILINE)
    assert rows == [(name, trial.cause, trial.scaled) for name, trial in TRIALS.items()]


def test_fixed_changes_are_those_of_the_present_rules() -> None:
    for trial in TRIALS.values():
        if not callable(trial.changes):
            shortened(ALERTS.read_text(encoding="utf-8"), 1, trial.changes)


def needs_prometheus() -> None:
    if shutil.which("prometheus") is None:
        skip("prometheus is not on PATH (Debian's package prometheus)")


@pytest.mark.e2e
@pytest.mark.xdist_group("chaos")
@pytest.mark.timeout(300)
@pytest.mark.skipif(not CAN_FILL_DISKS, reason="reads /proc")
async def test_an_alert_fires_and_clears_by_a_real_fault(tmp_path: Path) -> None:
    needs_prometheus()
    name = "BluestoneArenaCannotWrite"
    found = await try_alert(name, TRIALS[name], tmp_path, EVERY_S, 1)
    assert found.fired_s is not None
    assert found.cleared_s is not None


@pytest.mark.e2e
@pytest.mark.xdist_group("chaos")
@pytest.mark.timeout(300)
@pytest.mark.skipif(not CAN_FILL_DISKS, reason="reads /proc")
async def test_every_panel_has_an_answer_while_games_are_played(tmp_path: Path) -> None:
    """Queries that end in `> 0` show faults only, and stay empty without them."""
    needs_prometheus()
    terms = Terms(has_health=True)
    async with playing(tmp_path, random.Random(1), 1, ARENA, is_whole=True, terms=terms) as scene:
        targets = {
            "bluestone-arena": f"127.0.0.1:{scene.proxy.port}",
            "bluestone-bot": scene.the_bot.health,
        }
        rules = ALERTS.read_text(encoding="utf-8")
        async with scraping(tmp_path / "prometheus", rules, targets, EVERY_S) as prometheus:
            await prometheus.until_all_up(len(targets))
            for dashboard in DASHBOARDS:
                expected = [each for each in queries_of(dashboard) if not each.endswith("> 0")]
                assert await unanswered(prometheus, expected) == []


async def unanswered(prometheus: Prometheus, queries: list[str]) -> list[str]:
    """Return the queries that have no number for a while."""
    deadline = time.monotonic() + ANSWER_S
    while True:
        queries = [each for each in queries if not await has_number(prometheus, each)]
        if not queries or time.monotonic() > deadline:
            return queries
        await asyncio.sleep(EVERY_S)


async def has_number(prometheus: Prometheus, query: str) -> bool:
    query = query.replace("$__rate_interval", f"{15 * EVERY_S}s").replace("$instance", ".*")
    return any(not math.isnan(value) for _, value in await prometheus.query(query))
