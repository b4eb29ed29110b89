"""The operator's handbook: its commands, files, alerts and dashboards are those of the programs."""

import json
import re
from itertools import takewhile
from pathlib import Path

import pytest

from bot.arena.settings import ArenaSettings, load_settings
from bot.cli.app import _build
from tests.docs.pages import ROOT
from tests.release.surface import commands

PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
CONFIG = ROOT / "config"
COMMANDS = set(commands(_build(), "bluestone"))
GROUPS = {name.rpartition(" ")[0] for name in COMMANDS if re.search(r" [a-z][a-z-]*$", name)}
ALERTS = (CONFIG / "alerts.yml").read_text(encoding="utf-8")
RUN = re.compile(r"(?:^|[ (&`])bluestone ((?:[a-z][a-z-]*|\S*/\S*|--?\w)[^`#\n)&]*)", re.MULTILINE)


def section(heading: str, level: str = "##") -> str:
    return PAGE.partition(f"\n{level} {heading}\n")[2].partition(f"\n{level} ")[0]


def command_of(words: list[str]) -> str:
    """The command with which the words begin; a word that a group of commands lacks is an error."""
    name = "bluestone"
    for word in takewhile(re.compile("[a-z][a-z-]*").fullmatch, words):
        if f"{name} {word}" not in COMMANDS:
            assert name not in GROUPS, words
            break
        name = f"{name} {word}"
    return name


def test_every_command_and_option_exists() -> None:
    joined = PAGE.replace("\\\n", " ")
    runs = [found.split() for found in RUN.findall(joined)]
    assert len(runs) > 25
    for words in runs:
        name = command_of(words)
        assert name != "bluestone" or words[0] == "--version", words
        for option in (word for word in words if word.startswith("--")):
            assert option == "--version" or f"{name} {option}" in COMMANDS, words


@pytest.mark.parametrize(
    ("words", "severity"), [("at once", "page"), ("on the next working day", "ticket")]
)
def test_every_alert_is_in_the_table_of_its_severity(words: str, severity: str) -> None:
    found = re.findall(r"- alert: (\w+)\n(?:.*\n)*?.*severity: (\w+)", ALERTS)
    table = section("Alerts").partition(f"**Act {words}**")[2].partition("**Act ")[0]
    rows = re.findall(r"^\| \[(\w+)\]\(monitoring\.md#(\w+)\)", table, re.MULTILINE)
    assert [name for name, _ in rows] == [name for name, kind in found if kind == severity]
    assert all(anchor == name.lower() for name, anchor in rows)


@pytest.mark.parametrize("program", ["arena", "bot"])
def test_every_row_of_a_dashboard_is_explained(program: str) -> None:
    board = json.loads((CONFIG / "grafana" / f"bluestone-{program}.json").read_text("utf-8"))
    rows = [panel["title"] for panel in board["panels"] if panel["type"] == "row"]
    table = re.findall(r"^\| (.+?) \| (arena|bot|both) \|", section("The dashboards"), re.MULTILINE)
    assert [name for name, of in table if of in {program, "both"}] == rows


def test_the_settings_are_accepted_and_the_data_are_where_the_unit_puts_them(
    tmp_path: Path,
) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    file = tmp_path / "arena.toml"
    file.write_text(example)
    settings = load_settings(file, {})
    unit = (CONFIG / "bluestone-arena.service").read_text(encoding="utf-8")
    assert settings != ArenaSettings()
    assert f"\nStateDirectory={settings.data.name}\n" in unit
    assert f"\nEnvironment=BLUESTONE_CACHE_DIR=/var/cache/{settings.data.name}\n" in unit


def test_every_file_of_the_repository_that_is_named_exists() -> None:
    named = set(re.findall(r"(?<![\w/])(?:/opt/bluestone/)?(config/[\w.*-]+)", PAGE))
    assert len(named) >= 5
    assert [name for name in named if not list(ROOT.glob(name.rstrip(".")))] == []
