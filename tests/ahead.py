"""What `tools.ahead` makes of a game, for tests: built once, until the sources change."""

import fcntl
import json
import subprocess
import sys
from pathlib import Path

from engine.kernel.library import LAYOUT
from engine.kernel.processor import levels_here
from engine.kernel.sources import sources_key
from tests.skipping import skip
from tools import ROOT
from tools.ahead.build import AHEAD
from tools.ahead.targets import WEB, NoLinkerError, linker

PATIENCE_S = 600
"""Seconds that a test may take which builds; on a quiet machine the compiler needs 30."""
TOOLS = ROOT / "tools" / "ahead"


def built(game: str) -> Path:
    """The folder with a library for this processor, the WebAssembly module and its layout.

    The first process that needs it builds it, the others wait. The test is skipped without a
    linker.
    """
    names = [*levels_here()[:1], WEB.name]
    if len(names) < 2:
        skip("there are no libraries for this kind of machine")
    try:
        linker()
    except NoLinkerError as error:
        skip(str(error))
    folder = AHEAD / game
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_fresh(folder):
            command = [sys.executable, "-m", "tools.ahead", "--games", game, "--targets", *names]
            command += ["--output", str(folder)]
            subprocess.run(command, cwd=ROOT, check=True, timeout=PATIENCE_S)
    return folder


def is_fresh(folder: Path) -> bool:
    """Whether the last build is of these sources. It writes the layout last."""
    layout = folder / LAYOUT
    if not layout.is_file():
        return False
    tools_changed = max(file.stat().st_mtime for file in TOOLS.glob("*.py"))
    sources = json.loads(layout.read_text(encoding="utf-8"))["sources"]
    return bool(sources == sources_key() and layout.stat().st_mtime > tools_changed)
