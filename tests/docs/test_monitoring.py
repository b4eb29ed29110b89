"""Metrics on their page, in alerts and dashboards: complete, true, and accepted by Prometheus."""

import asyncio
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.daemon.metrics import StatusSnapshot, bot_metrics
from bot.engines.pool import EnginePool
from bot.engines.spec import EngineSpec
from bot.guests.hexo.server.metrics import htttx_metrics
from bot.runtime.health import DaemonStatus, PlatformStatus
from bot.runtime.metrics import new_registry
from bot.time_source import SystemTime
from tests.docs.pages import ROOT
from tests.skipping import skip

CONFIG = ROOT / "config"
ALERTS = CONFIG / "alerts.yml"
PAGE = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
RULES = ALERTS.read_text(encoding="utf-8")
DASHBOARDS = sorted((CONFIG / "grafana").glob("*.json"))

OF_PROMETHEUS: Final = {"up", "ALERTS"}
NAME: Final = re.compile(r"\b(?:bluestone|process)_[a-z_]+[a-z]\b|\bup\b|\bALERTS\b")
ROW: Final = re.compile(
    r"^\| `((?:bluestone|process)_\w+)` \| (\w+) \|(.*?)\| .+ \|$", re.MULTILINE
)
ALERT: Final = re.compile(r"^      - alert: (\w+)\n((?: {8}.*\n|\n)+)", re.MULTILINE)
SUFFIXES: Final = ("_bucket", "_sum", "_count")


@cache
def page_of_the_arena() -> str:
    async def fetched() -> str:
        with tempfile.TemporaryDirectory() as folder:
            settings = ArenaSettings(port=0, data=Path(folder))
            async with (
                running_arena(settings) as url,
                aiohttp.ClientSession() as session,
                session.get(f"{url}/metrics") as answer,
            ):
                return await answer.text()

    return asyncio.run(fetched())


@dataclass(frozen=True)
class Kind:
    """The type of a metric, and its labels apart from `le`."""

    type: str
    labels: frozenset[str]


def exposed(text: str) -> dict[str, Kind]:
    """All metrics on a page of metrics, by their names in queries without the histogram's ends."""
    return {
        family.name + ("_total" if family.type == "counter" else ""): Kind(
            family.type,
            frozenset(label for each in family.samples for label in each.labels) - {"le"},
        )
        for family in text_string_to_metric_families(text)
    }


@cache
def page_of_the_bot() -> str:
    """The metrics of a daemon that has one account and one engine, and plays no game."""
    platform = PlatformStatus(
        name="arena", bot="Flint", connected=True, refused=None, last_event_age_s=1.0, games=[]
    )
    status = DaemonStatus(
        draining=False, problems=[], alarms=0, platforms=[platform], engines=[], work=[]
    )
    registry = new_registry()
    bot_metrics(registry, ["arena"])
    pool = EnginePool(EngineSpec(name="search"), 1, SystemTime())
    StatusSnapshot(registry, {"search": pool}).status = status
    return generate_latest(registry).decode()


@cache
def page_of_the_htttx_server() -> str:
    registry = new_registry()
    htttx_metrics(registry, lambda: 0.0)
    return generate_latest(registry).decode()


def of_the_units() -> dict[str, Kind]:
    """The metrics that the units in config/ write for node_exporter; `test_units` runs them."""
    units = "".join(path.read_text(encoding="utf-8") for path in CONFIG.glob("*.service"))
    found = re.findall(r'echo "(bluestone_\w+)\{(\w+)=', units)
    return {name: Kind("gauge", frozenset({label})) for name, label in found}


def known() -> dict[str, Kind]:
    pages = page_of_the_arena(), page_of_the_bot(), page_of_the_htttx_server()
    return {name: kind for page in pages for name, kind in exposed(page).items()} | of_the_units()


def documented(page: str) -> dict[str, Kind]:
    return {
        name: Kind(kind, frozenset(re.findall(r"`(\w+)`", labels)))
        for name, kind, labels in ROW.findall(page)
    }


def unknown(queries: str, names: set[str]) -> set[str]:
    """The metrics in queries that no program has."""
    ends = {f"{name}{end}" for name in names for end in SUFFIXES}
    return set(NAME.findall(queries)) - names - ends - OF_PROMETHEUS


def queries_of(dashboard: Path) -> list[str]:
    board = json.loads(dashboard.read_text(encoding="utf-8"))
    targets = [target for panel in board["panels"] for target in panel.get("targets", ())]
    return [target["expr"] for target in targets]


def alerts() -> dict[str, str]:
    """The text of each alert below its name."""
    return dict(ALERT.findall(RULES + "\n"))


# ---- the page ------------------------------------------------------------------------------------


def test_every_metric_is_on_the_page_with_its_type_and_labels() -> None:
    assert documented(PAGE) == known()


def test_every_alert_has_a_section_and_points_to_it() -> None:
    section = PAGE.partition("\n## Alerts\n")[2].partition("\n## ")[0]
    assert re.findall(r"^### (\w+)$", section, re.MULTILINE) == list(alerts())
    for name, text in alerts().items():
        assert f"runbook: docs/monitoring.md#{name.lower()}\n" in text
        assert re.search(r"summary: \".+\"\n +description: \".+\"\n", text), name
        severity = re.findall(r"severity: (page|ticket)\b", text)
        (told,) = re.findall(rf"^### {name}\n\n(\w+)\. ", section, re.MULTILINE)
        assert [told.lower()] == severity, name


# ---- alerts and dashboards -----------------------------------------------------------------------


def test_every_metric_of_the_alerts_exists() -> None:
    expressions = re.findall(r"expr: (.*?)\n        (?:for|labels):", RULES, re.DOTALL)
    assert len(expressions) == len(alerts())
    assert unknown("\n".join(expressions), set(known())) == set()


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda path: path.stem)
def test_every_metric_of_the_dashboards_exists(dashboard: Path) -> None:
    queries = queries_of(dashboard)
    assert len(queries) > 20
    assert unknown("\n".join(queries), set(known())) == set()


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda path: path.stem)
def test_dashboards_are_whole(dashboard: Path) -> None:
    board = json.loads(dashboard.read_text(encoding="utf-8"))
    assert [each["name"] for each in board["templating"]["list"]] == ["datasource", "instance"]
    assert board["uid"] == dashboard.stem
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {
            (place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])
        }
        assert cells.isdisjoint(taken), panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
        if panel["type"] != "row":
            assert panel["datasource"]["uid"] == "${datasource}"
            assert panel["description"].endswith(".")
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))


# ---- what Prometheus says ------------------------------------------------------------------------


def promtool(*arguments: str | Path, text: str = "") -> str:
    """Run promtool, which must succeed; returns what it prints."""
    program = shutil.which("promtool")
    if program is None:
        skip("promtool is not on PATH (Debian's package prometheus)")
    run = subprocess.run(
        [program, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


def test_promtool_accepts_the_configuration_and_the_alerts() -> None:
    assert f"{len(alerts())} rules found" in promtool("check", "rules", ALERTS)
    promtool("check", "config", CONFIG / "prometheus.yml")


def test_promtool_accepts_the_metrics() -> None:
    assert promtool("check", "metrics", text=page_of_the_arena()) == ""
    assert promtool("check", "metrics", text=page_of_the_bot()) == ""


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda path: path.stem)
def test_promtool_accepts_the_queries_of_the_dashboards(dashboard: Path, tmp_path: Path) -> None:
    rules = [
        {"record": f"query:{number}", "expr": query.replace("$__rate_interval", "1m")}
        for number, query in enumerate(queries_of(dashboard))
    ]
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    promtool("check", "rules", file)


ARENA: Final = 'job="bluestone-arena", instance="a:1"'


@dataclass(frozen=True)
class Case:
    """Series, one sample per `interval`, with which an alert fires at one time and not at another.

    Values are in promtool's notation: `1x5` is 1 and five repetitions, `0+60x5` grows by 60.
    """

    series: dict[str, str]
    quiet: str
    """Before the fault."""
    fires: str
    clear: str
    """After the fault."""
    interval: str = "1m"


def arena(name: str, labels: str = "") -> str:
    return f"bluestone_arena_{name}{{{ARENA}{', ' if labels else ''}{labels}}}"


BOT: Final = 'job="bluestone-bot", instance="b:1"'
GRANITE: Final = 'platform="Granite"'
SEARCH: Final = 'engine="search"'


def bot(name: str, labels: str = "") -> str:
    return f"bluestone_bot_{name}{{{BOT}{', ' if labels else ''}{labels}}}"


CASES: Final = {
    "BluestoneDown": Case({f"up{{{ARENA}}}": "1x4 0x5 1x10"}, "5m", "8m", "12m"),
    "BluestoneRestarting": Case(
        {f"process_start_time_seconds{{{ARENA}}}": "100x10 200x3 300x3 400x60"}, "16m", "20m", "60m"
    ),
    "BluestoneDescriptorsLow": Case(
        {
            f"process_open_fds{{{ARENA}}}": "100x9 900x9 100x10",
            f"process_max_fds{{{ARENA}}}": "1000x30",
        },
        "14m",
        "16m",
        "21m",
    ),
    "BluestoneMemoryHigh": Case(
        {f"process_resident_memory_bytes{{{ARENA}}}": "200000000x9 2000000000x20 200000000x9"},
        "20m",
        "27m",
        "31m",
    ),
    "BluestoneMemoryGrows": Case(
        {
            # 144 MB a day for four days, then the same memory for two days
            f"process_resident_memory_bytes{{{ARENA}}}": "200000000+1000000x576 776000000x288",
            f"process_start_time_seconds{{{ARENA}}}": "0x864",
        },
        "23h",
        "40h",
        "130h",
        interval="10m",
    ),
    "BluestoneArenaCannotWrite": Case({arena("writer_trouble"): "0x4 1x5 0x9"}, "5m", "7m", "11m"),
    "BluestoneArenaClocksStopped": Case(
        {arena("clocks_stopped_seconds_total"): "0x9 30+30x4 150x20"}, "9m", "14m", "30m"
    ),
    "BluestoneArenaWriterSlow": Case(
        {
            arena("writer_oldest_job_seconds"): "0x4 6+60x5 0x9",
            arena("writer_trouble"): "0x30",
        },
        "5m",
        "7m",
        "12m",
    ),
    "BluestoneArenaTurnsSlow": Case(
        {
            arena("turn_commit_seconds_bucket", 'le="0.25"'): "0+100x10 1000x20 1000+100x30",
            arena("turn_commit_seconds_bucket", 'le="1.0"'): "0+100x60",
            arena("turn_commit_seconds_bucket", 'le="+Inf"'): "0+100x60",
        },
        "10m",
        "25m",
        "45m",
    ),
    "BluestoneArenaFull": Case(
        # 1600: the rest is reserved for newcomers, as the setting newcomers_share has it
        {arena("sockets"): "100x9 1600x15 100x9", arena("sockets_limit"): "2000x60"},
        "15m",
        "21m",
        "27m",
    ),
    "BluestoneArenaSlowConsumers": Case(
        {
            arena("slow_consumers_total", 'cause="unread"'): "0x9 5+5x4 25x40",
            arena("slow_consumers_total", 'cause="stalled"'): "0x60",
        },
        "9m",
        "15m",
        "40m",
    ),
    "BluestoneArenaFails": Case(
        {
            arena("message_refusals_total", 'code="server_error"'): "0x9 1x40",
            arena("login_refusals_total", 'code="server_error"'): "0x60",
            arena("http_responses_total", 'status="500"'): "0x60",
            arena("alarm_failures_total", 'of="games"'): "0x60",
        },
        "9m",
        "12m",
        "40m",
    ),
    "BluestoneArenaRecordsBehind": Case(
        {arena("records_behind"): "0x9 1x20 0x9"}, "20m", "27m", "31m"
    ),
    "BluestoneArenaTournamentStalled": Case(
        {arena("tournament_waiting_seconds"): "0+60x90 0x9"}, "50m", "70m", "95m"
    ),
    "BluestoneArenaDiskFilling": Case(
        {arena("disk_free_bytes"): "9000000000x9 1000000000x15 9000000000x9"}, "15m", "22m", "26m"
    ),
    "BluestoneBotAlarm": Case({bot("alarms"): "0x4 1x5 0x9"}, "4m", "6m", "12m"),
    "BluestoneBotRefused": Case(
        {bot("platform_refused", GRANITE): "0x4 1x5 0x9"}, "5m", "7m", "12m"
    ),
    "BluestoneBotDisconnected": Case(
        {
            bot("platform_connected", GRANITE): "1x4 0x9 1x14",
            bot("platform_refused", GRANITE): "0x30",
        },
        "9m",
        "12m",
        "21m",
    ),
    "BluestoneBotPlatformSilent": Case(
        {bot("platform_last_event_age_seconds", GRANITE): "0+60x20 1x9"}, "10m", "14m", "23m"
    ),
    "BluestoneBotTurnUnconfirmed": Case(
        {bot("journal_oldest_open_work_seconds"): "0+60x25 0x9", bot("alarms"): "0x40"},
        "15m",
        "20m",
        "28m",
    ),
    "BluestoneBotCannotWrite": Case({bot("problems"): "0x4 1x5 0x9"}, "5m", "7m", "12m"),
    "BluestoneBotEngineFails": Case(
        {bot("engine_healthy", SEARCH): "1x4 0x9 1x9"}, "9m", "12m", "16m"
    ),
    "BluestoneBotFallbacks": Case(
        {bot("fallback_turns_total", f'{SEARCH}, cause="died"'): "0x9 2x9 4x9 4x90"},
        "15m",
        "25m",
        "100m",
    ),
    "BluestoneBotClockLow": Case(
        {
            bot("clock_reserve_seconds_bucket", 'le="0.3"'): "0x4 0+10x20 200x60",
            bot("clock_reserve_seconds_bucket", 'le="1.0"'): "0x4 0+10x20 200x60",
            bot("clock_reserve_seconds_bucket", 'le="3.0"'): "0x4 0+20x20 400+20x60",
            bot("clock_reserve_seconds_bucket", 'le="+Inf"'): "0x4 0+20x20 400+20x60",
        },
        "5m",
        "24m",
        "60m",
    ),
    "BluestoneBotGamesUnread": Case(
        {bot("unread_games", GRANITE): "0x4 1x20 0x9"}, "15m", "22m", "27m"
    ),
    "BluestoneBackupOld": Case(
        # The backup of the second day fails, that of the third works; time begins at 0.
        {'bluestone_backup_success_timestamp_seconds{of="arena"}': "0x48 172800x48"},
        "25h",
        "27h",
        "49h",
        interval="1h",
    ),
}
"""For each alert the fault that it is for, as Prometheus would see it."""


def test_every_alert_is_tested() -> None:
    assert list(CASES) == list(alerts())


@pytest.mark.parametrize("name", CASES)
def test_an_alert_fires_and_clears(name: str, tmp_path: Path) -> None:
    check(name, CASES[name], tmp_path)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            Case(
                {
                    bot("platform_connected", GRANITE): f"1x9 {'0 0 1 ' * 20} 1x20",
                    bot("platform_refused", GRANITE): "0x99",
                },
                *("9m", "20m", "85m"),
            ),
            id="a-connection-that-comes-and-goes",
        ),
        pytest.param(
            Case(
                {
                    bot("platform_connected", GRANITE): "_x9 0x9 1x20",
                    bot("platform_refused", GRANITE): "_x9 0x30",
                },
                *("13m", "18m", "35m"),
            ),
            id="a-bot-that-starts-without-its-server",
        ),
    ],
)
def test_the_share_of_the_time_without_a_connection_counts(case: Case, tmp_path: Path) -> None:
    check("BluestoneBotDisconnected", case, tmp_path)


def check(name: str, case: Case, tmp_path: Path) -> None:
    """Let Prometheus run the case."""
    severity = re.findall(r"severity: (\w+)", alerts()[name])[0]

    def at(time: str, number: int) -> dict[str, Any]:
        # ALERTS has the state of the alert; its labels are those of the series and of the rule.
        query = f'count(ALERTS{{alertname="{name}", alertstate="firing", severity="{severity}"}})'
        found = [{"labels": "{}", "value": number}] if number else []
        return {"expr": query, "eval_time": time, "exp_samples": found}

    test = {
        "interval": case.interval,
        "input_series": [
            {"series": series, "values": values} for series, values in case.series.items()
        ],
        "promql_expr_test": [at(case.quiet, 0), at(case.fires, 1), at(case.clear, 0)],
    }
    file = tmp_path / "test.json"
    suite = {"rule_files": [str(ALERTS)], "evaluation_interval": case.interval, "tests": [test]}
    file.write_text(json.dumps(suite))
    promtool("test", "rules", file)
