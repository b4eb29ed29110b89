"""The page's scripts in few files, which browsers get: `make bundle`, or

    python -m tools.bundle

writes them; a test says when they are out of date. The bundler of deno fetches esbuild from npm's
registry the first time, in the version that this deno names.

The bundler makes one file of all scripts that the same entry points use, and each page that is
loaded on demand is an entry point: the scripts that every visit needs would come in 40 files, many
of a few hundred bytes. Here each such page also imports all that `app.js` imports, which is loaded
by then anyway, so that these scripts have the same users and come in a few files.

The bundler does not know that a script starts a worker, so the worker is bundled apart. The scripts
of a worker come in one file, and the one that starts it names that file.
"""

import hashlib
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bot.arena.web.areas import areas_of
from bot.arena.web.page_bundle import BUNDLE, DIGEST, FOLDER, MAIN, sources_digest

DENO: Final = Path(sys.executable).with_name("deno")
AREAS: Final = "areas.js"
"""The script that lists the capabilities."""
FIRST: Final = "first.js"
"""The script in the bundler's copy of the sources that imports all that every visit needs."""
OWN: Final = frozenset({MAIN, "app.js", "embed/page.js"})
"""Entry points that do not import it: a board on another site needs much less."""
STATIC: Final = re.compile(r"""^(?:import|export)\b[^;]*?"(\.{1,2}/[^"]+)";""", re.MULTILINE)
ON_DEMAND: Final = re.compile(r"""\bimport\("(\.{1,2}/[^"]+)"\)""")
WORKER: Final = re.compile(r"""new URL\("\./([\w/]+\.js)", import\.meta\.url\)""")
"""The address of a worker, beside the script that starts it."""
NAMED: Final = 8
"""How many characters of a digest are in the name of a worker's file."""
OPTIONS: Final = ("--quiet", "--no-config", "--no-remote", "--platform", "browser", "--minify")


def write() -> None:
    """Raises CalledProcessError if the scripts cannot be bundled."""
    (FOLDER / "js" / AREAS).write_text(areas_script(FOLDER), encoding="utf-8")
    with TemporaryDirectory() as folder:
        made, sources = Path(folder) / BUNDLE, Path(folder) / "js"
        shutil.copytree(FOLDER / "js", sources)
        shutil.copytree(FOLDER / "vendor", Path(folder) / "vendor")
        workers = bundle_workers(sources)
        share_first(sources)
        # The names of the files depend on the paths as the bundler sees them.
        bundle(Path(folder), "--code-splitting", "--outdir", BUNDLE, f"js/{MAIN}")
        drop_empty(made)
        for name, text in workers.items():
            (made / name).write_text(text, encoding="utf-8")
        shutil.rmtree(FOLDER / BUNDLE, ignore_errors=True)
        shutil.copytree(made, FOLDER / BUNDLE)
    (FOLDER / BUNDLE / DIGEST).write_text(f"{sources_digest(FOLDER)}\n", encoding="utf-8")


def bundle(folder: Path, *arguments: str) -> None:
    cache = {"DENO_DIR": str(Path(".deno_cache").absolute()), "DENO_NO_UPDATE_CHECK": "1"}
    command = [str(DENO), "bundle", *OPTIONS, *arguments]
    subprocess.run(command, check=True, cwd=folder, env={**os.environ, **cache})


def bundle_workers(sources: Path) -> dict[str, str]:
    """Bundle each worker, name its file in the script that starts it; return the files by name."""
    workers = dict[str, str]()
    for file in sorted(sources.glob("**/*.js")):
        text = file.read_text(encoding="utf-8")
        for own in WORKER.findall(text):
            bundle(file.parent, "--output", "bundled.js", own)
            made = (file.parent / "bundled.js").read_text(encoding="utf-8")
            (file.parent / "bundled.js").unlink()
            name = f"{Path(own).stem}-{hashlib.sha256(made.encode()).hexdigest()[:NAMED]}.js"
            workers[name] = made
            text = text.replace(f'"./{own}"', f'"./{name}"')
            file.write_text(text, encoding="utf-8")
    return workers


def areas_script(folder: Path) -> str:
    """The script that lists the capabilities of the page that are there."""
    areas = areas_of(folder)
    imports = [f'import {{ area as {area.name} }} from "./{area.name}/area.js";' for area in areas]
    entries = [
        f"  {{ ...{area.name}, name: {json.dumps(area.name)}, "
        f"addresses: {json.dumps(area.addresses)} }},"
        for area in areas
    ]
    lines = [
        "/** The capabilities of the page that are there, as `make bundle` has listed them. */",
        "// deno-fmt-ignore-file",
        *imports,
        '/** @import { Area } from "./shared/areas.js" */',
        "/** @type {Area[]} */",
        "export const AREAS = [",
        *entries,
        "];",
    ]
    return "\n".join([*lines, ""])


def share_first(sources: Path) -> None:
    """Let each script that is loaded on demand import all that `app.js` imports, in place."""
    first = imported(sources, "app.js")
    lines = [f'import "./{name}";\n' for name in first]
    (sources / FIRST).write_text("".join(lines), encoding="utf-8")
    for name in sorted(on_demand(sources) - {*first, *OWN}):
        path = posixpath.relpath(FIRST, posixpath.dirname(name) or ".")
        file = sources / name
        prefix = path if path.startswith(".") else f"./{path}"
        text = file.read_text(encoding="utf-8")
        file.write_text(f'import "{prefix}";\n{text}', encoding="utf-8")


def drop_empty(made: Path) -> None:
    """Remove what is left of `FIRST`, which every page on demand would request."""
    files = {file: file.read_text(encoding="utf-8") for file in made.glob("*.js")}
    empty = [file for file, text in files.items() if not text]
    for file in empty:
        files = {each: text.replace(f'import"./{file.name}";', "") for each, text in files.items()}
        file.unlink()
    for file in files.keys() - empty:
        file.write_text(files[file], encoding="utf-8")


def imported(sources: Path, name: str) -> list[str]:
    """All scripts that a script imports, directly or not, without those loaded on demand."""
    found, waiting = list[str](), [name]
    while waiting:
        importer = waiting.pop(0)
        text = (sources / importer).read_text(encoding="utf-8")
        for path in STATIC.findall(text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))
            if target not in found and (sources / target).is_file() and target.endswith(".js"):
                found.append(target)
                waiting.append(target)
    return found


def on_demand(sources: Path) -> set[str]:
    """All scripts that some script loads when they are needed."""
    return {
        posixpath.normpath(posixpath.join(file.parent.relative_to(sources).as_posix(), path))
        for file in sources.glob("**/*.js")
        for path in ON_DEMAND.findall(file.read_text(encoding="utf-8"))
    }


if __name__ == "__main__":
    write()
