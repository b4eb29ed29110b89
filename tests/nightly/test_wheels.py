"""The wheel of this machine, built with its libraries, installed and played with."""

import platform
import subprocess
import sys

import pytest

from tests.skipping import skip
from tools import ROOT
from tools.ahead.targets import NoLinkerError, linker
from tools.wheels import LIBRARIES


@pytest.mark.nightly
@pytest.mark.timeout(2400)
def test_the_wheel_plays_without_a_compiler() -> None:
    machine = platform.machine()
    if machine not in LIBRARIES:
        skip(f"there is no wheel for {machine}")
    try:
        linker("ld.lld")
    except NoLinkerError as error:
        skip(str(error))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tools.dist", "--check"),
            *("--machine", machine, "--python", sys.executable),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"ok    Python {sys.executable}\n" in done.stdout
