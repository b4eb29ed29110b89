"""The systemd units in `config`: how much of the machine each one exposes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

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


def exposure(unit: Path) -> float:
    """What `systemd-analyze security` says about a unit file, without a running systemd."""
    program = shutil.which("systemd-analyze")
    if program is None:
        skip("systemd-analyze is not installed")
    command = [program, "security", "--offline=true", "--no-pager", str(unit)]
    report = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    (level,) = re.findall(r"Overall exposure level for \S+: ([0-9.]+)", report.stdout)
    return float(level)
