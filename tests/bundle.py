"""The page's scripts in few files, which browsers get: `make bundle`, or

    python -m tests.bundle

writes them; a test says when they are out of date. The bundler of deno fetches esbuild from npm's
registry the first time, in the version that this deno names.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.arena.net.page_bundle import BUNDLE, DIGEST, FOLDER, MAIN, sources_digest

DENO: Final = Path(sys.executable).with_name("deno")
OPTIONS: Final = (
    *("--quiet", "--no-config", "--no-remote", "--platform", "browser"),
    *("--minify", "--code-splitting"),
)


def write() -> None:
    """Raises CalledProcessError if the scripts cannot be bundled."""
    cache = {"DENO_DIR": str(Path(".deno_cache").absolute()), "DENO_NO_UPDATE_CHECK": "1"}
    with TemporaryDirectory() as folder:
        made = Path(folder) / BUNDLE
        command = [str(DENO), "bundle", *OPTIONS, "--outdir", str(made), f"{FOLDER}/js/{MAIN}"]
        subprocess.run(command, check=True, env={**os.environ, **cache})
        shutil.rmtree(FOLDER / BUNDLE, ignore_errors=True)
        shutil.copytree(made, FOLDER / BUNDLE)
    (FOLDER / BUNDLE / DIGEST).write_text(f"{sources_digest(FOLDER)}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
