"""The page's scripts in one file, which browsers get: `make bundle`, or

    python -m tests.bundle

writes it; a test says when it is out of date. The bundler of deno fetches esbuild from npm's
registry the first time, in the version that this deno names.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.arena.net.pages import FILE, FOLDER, HEAD, sources_digest

DENO: Final = Path(sys.executable).with_name("deno")
OPTIONS: Final = ("--quiet", "--no-config", "--no-remote", "--platform", "browser", "--minify")


def write() -> None:
    """Raises CalledProcessError if the scripts cannot be bundled."""
    cache = {"DENO_DIR": str(Path(".deno_cache").absolute()), "DENO_NO_UPDATE_CHECK": "1"}
    with TemporaryDirectory() as folder:
        made = Path(folder) / FILE
        main = FOLDER / "js" / "main.js"
        command = [str(DENO), "bundle", *OPTIONS, "--output", str(made), str(main)]
        subprocess.run(command, check=True, env={**os.environ, **cache})
        head = f"{HEAD}{sources_digest(FOLDER)}\n"
        (FOLDER / FILE).write_text(head + made.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    write()
