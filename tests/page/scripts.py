"""Runs the page's scripts without a browser, by the program deno. They reach no network."""

import json
import os
import subprocess
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.skipping import skip
from tools import ROOT

FOLDER: Final = Path("tests/page")
_TIMEOUT_S: Final = 100


def answers(script: str, calls: Sequence[tuple[object, ...]]) -> list[Any]:
    """Call functions of a script in this folder, all in one process.

    A call is the name of a function and its arguments, which must have a form in JSON. The script
    gives its functions to `answerCalls`. The test is skipped if deno does not start.
    """
    done = run_deno("run", "--allow-read", str(FOLDER / script), said=json.dumps(calls))
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def run_deno(command: str, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run scripts of this folder after the prelude. Skips the test if deno does not start."""
    if not _starts():
        skip("there is no deno here that starts: the page's modules are not tested")
    options = ("--no-check", "--no-remote", "--no-npm", f"--preload={FOLDER / 'prelude.js'}")
    return _run(command, *options, *arguments, said=said)


@cache
def _starts() -> bool:
    try:
        return _run("--version").returncode == 0
    except OSError:
        return False


def _run(*arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    environment = {
        "DENO_DIR": str(ROOT / ".deno_cache"),
        "DENO_NO_UPDATE_CHECK": "1",
        "DENO_NO_PACKAGE_JSON": "1",
        "NO_COLOR": "1",
    }
    return subprocess.run(
        [Path(sysconfig.get_path("scripts")) / "deno", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        input=said,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
