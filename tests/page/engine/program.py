"""Runs the programs of this folder: how its kernels run is decided when a process starts."""

import json
import os
import subprocess
import sys
from typing import Any, Final

from engine.kernel.library import ENVIRONMENT
from tools import ROOT

PATIENCE_S: Final = 300


def printed_by(program: str, *arguments: str, kernels: str) -> dict[str, Any]:
    """What a program prints; `kernels` is a folder with a library, or `compile`."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.page.engine.{program}", *arguments],
        cwd=ROOT,
        env={**os.environ, ENVIRONMENT: kernels},
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE_S,
    )
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed
