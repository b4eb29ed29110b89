"""The page for server operators: its examples are accepted, its tables are complete and true."""

import re
from pathlib import Path

import pytest

from bot.arena.settings import (
    ArenaSettings,
    ClusterSettings,
    ConnectionLimits,
    PlayLimits,
    PushSettings,
    load_settings,
)
from bot.errors import ConfigurationError, DataError, HostError, ProcessReplaced
from tests.docs.pages import ROOT
from tests.docs.settings_tables import Model, defaults, events_in, lines, told, unknown_events

PAGE = (ROOT / "docs" / "running-an-arena.md").read_text(encoding="utf-8")
UNIT = (ROOT / "config" / "bluestone-arena.service").read_text(encoding="utf-8")
BACKUP_UNIT = (ROOT / "config" / "bluestone-backup.service").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)

TABLES: dict[str, tuple[str, Model]] = {
    "Top level": ("", ArenaSettings),
    "`[play]`": ("play", PlayLimits),
    "`[connections]`": ("connections", ConnectionLimits),
    "`[push]`": ("push", PushSettings),
    "`[cluster]`": ("cluster", ClusterSettings),
}


@pytest.mark.parametrize("heading", TABLES)
def test_every_key_is_in_the_tables_with_its_default(heading: str) -> None:
    _, model = TABLES[heading]
    known = defaults(model)
    if model is ArenaSettings:
        known = {
            key: known[key] for key in known if key not in {table for table, _ in TABLES.values()}
        }
    assert told(PAGE, heading) == known


@pytest.mark.parametrize("heading", TABLES)
def test_the_example_file_has_the_order_of_the_page(heading: str) -> None:
    table, _ = TABLES[heading]
    shown = lines(ROOT / "config" / "arena.toml")[table]
    assert [line.key for line in shown] == list(told(PAGE, heading))


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_accepted(tmp_path: Path, example: str) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(example)
    assert load_settings(file, {}) != ArenaSettings()


def test_the_unit_is_not_restarted_after_exit_codes_that_a_restart_cannot_help() -> None:
    codes = {DataError.exit_code, ConfigurationError.exit_code}
    (prevented,) = re.findall(r"^RestartPreventExitStatus=(.+)$", UNIT, re.MULTILINE)
    assert set(map(int, prevented.split())) == codes
    listed = re.findall(
        r"^\| (\d+) \| ", PAGE.partition("| exit code |")[2].partition("\n\n")[0], re.MULTILINE
    )
    replaced = ProcessReplaced.exit_code
    assert set(map(int, listed)) == {0, HostError.exit_code, replaced} | codes


def test_the_data_is_where_the_unit_puts_it() -> None:
    (state,) = re.findall(r"^StateDirectory=(.+)$", UNIT, re.MULTILINE)
    assert f'data = "/var/lib/{state}"' in "".join(EXAMPLES)
    command = re.escape(f"--data /var/lib/{state}")
    assert re.search(f"bluestone backup /var/backups/bluestone {command} --keep 14\n", PAGE)
    assert re.search(f"bluestone restore /var/backups/bluestone {command} &&\n", PAGE)
    assert re.search(f"ExecStart=\\S+ backup /var/backups/bluestone {command} ", BACKUP_UNIT)


def test_every_line_of_the_log_that_is_named_can_be_logged() -> None:
    events = events_in(PAGE, "log line")
    assert "store_cannot_write" in events
    assert unknown_events(events) == []


@pytest.mark.parametrize("name", ["arena", "bot", "abstract-play", "hexo-arena"])
def test_systemd_watches_the_programs_and_waits_until_they_are_ready(name: str) -> None:
    unit = (ROOT / "config" / f"bluestone-{name}.service").read_text(encoding="utf-8")
    assert re.findall(r"^(?:Type|NotifyAccess|WatchdogSec)=(.*)$", unit, re.MULTILINE) == [
        "notify",
        "main",
        "60",
    ]
    assert "\nRestart=on-failure\n" in unit
