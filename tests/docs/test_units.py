"""The systemd units in `config`: how much of the machine each one exposes."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.docs.pages import ROOT
from tests.skipping import skip

UNITS = sorted((ROOT / "config").glob("*.service"))
MOST_EXPOSED = 3.0
"""Between 0 and 10, by the scale of `systemd-analyze security`; below 4 it says OK."""


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_service_exposes_little_of_the_machine(unit: Path) -> None:
    assert exposure(unit) < MOST_EXPOSED


def test_a_service_without_a_sandbox_would_be_noticed(tmp_path: Path) -> None:
    open_unit = tmp_path / "open.service"
    open_unit.write_text("[Service]\nExecStart=/bin/true\n")
    assert exposure(open_unit) > MOST_EXPOSED


def test_each_timer_starts_a_service() -> None:
    timers = sorted((ROOT / "config").glob("*.timer"))
    assert len(timers) == 3
    assert {timer.with_suffix(".service") for timer in timers} <= set(UNITS)


def test_a_dump_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    old = tmp_path / "bluestone-20200101T000000Z.dump"
    old.write_text("old")
    os.utime(old, (0, 0))
    line = shell_line("bluestone-pg-backup", "ExecStart", "/var/backups/bluestone-pg", tmp_path)
    failing = run_with_pg_dump(tmp_path, line, "echo half > $4; exit 1")
    assert failing != 0
    assert list(tmp_path.glob("*.dump")) == [old], "an old dump is worth more than none"
    assert run_with_pg_dump(tmp_path, line, "echo whole > $4") == 0
    [new] = tmp_path.glob("*.dump")
    assert new.read_text() == "whole\n"
    assert re.fullmatch(r"bluestone-\d{8}T\d{6}Z\.dump", new.name)


@pytest.mark.parametrize(
    ("unit", "of"), [("backup", "arena"), ("bot-backup", "bot"), ("pg-backup", "database")]
)
def test_a_backup_writes_its_time_for_prometheus(tmp_path: Path, unit: str, of: str) -> None:
    folder = "/var/lib/prometheus/node-exporter"
    line = shell_line(f"bluestone-{unit}", "ExecStartPost", folder, tmp_path)
    subprocess.run(["/bin/sh", "-euc", line], check=True, timeout=30)
    [file] = tmp_path.iterdir()
    assert file.name == f"bluestone-{of}-backup.prom"
    [family] = text_string_to_metric_families(file.read_text())
    assert family.name == "bluestone_backup_success_timestamp_seconds"
    assert family.samples[0].labels == {"of": of}


def shell_line(unit: str, key: str, folder: str, instead: Path) -> str:
    """What a unit lets the shell run, with another folder; as systemd unquotes it."""
    text = (ROOT / "config" / f"{unit}.service").read_text(encoding="utf-8")
    line: str
    (line,) = re.findall(rf"^{key}=[-+]*/bin/sh -euc '(.+)'$", text, re.MULTILINE)
    unquoted = line.replace("$$", "$").replace("%%", "%").replace('\\\\"', '\\"')
    assert folder in unquoted
    return unquoted.replace(folder, str(instead))


def run_with_pg_dump(folder: Path, line: str, script: str) -> int:
    """Run the line with another `pg_dump`; returns the exit code."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "pg_dump").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "pg_dump").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    command = ["/bin/sh", "-euc", line]
    return subprocess.run(command, env={"PATH": path}, timeout=30, check=False).returncode


def exposure(unit: Path) -> float:
    """What `systemd-analyze security` says about a unit file, without a running systemd."""
    program = shutil.which("systemd-analyze")
    if program is None:
        skip("systemd-analyze is not installed")
    command = [program, "security", "--offline=true", "--no-pager", str(unit)]
    report = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    (level,) = re.findall(r"Overall exposure level for \S+: ([0-9.]+)", report.stdout)
    return float(level)
