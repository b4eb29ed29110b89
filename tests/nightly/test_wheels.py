"""The wheel of this machine, built with its libraries, installed and played with."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tools import ROOT


@pytest.mark.timeout(2400)
def test_the_wheel_plays_without_a_compiler(libraries: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tools.dist", "--check", "--python", sys.executable),
            *("--machine", platform.machine(), "--libraries", str(libraries)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"ok    Python {sys.executable}\n" in done.stdout
