"""What the page's scripts may import, by folder; read from the sources, types included."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bot.arena.web.areas import areas_of
from bot.arena.web.page_bundle import FOLDER
from tools.bundle import areas_script

SCRIPTS = FOLDER / "js"
AREAS = [area.name for area in areas_of(FOLDER)]
"""The capabilities. Only the list of them, which `make bundle` writes, may import one."""
BELOW: Mapping[str, frozenset[str]] = {
    "": frozenset(
        {
            *("embed", "frame", "game", "invite", "learn", "lobby", "records", *AREAS),
            *("board", "rules", "shared"),
        }
    ),
    "invite": frozenset({"frame", "rules", "setup", "shared"}),
    "learn": frozenset({"lobby", "setup", "board", "rules", "shared"}),
    "accounts": frozenset({"frame", "shared"}),
    "analysis": frozenset({"engine", "game", "setup", "board", "rules", "shared"}),
    "frame": frozenset({"board", "rules", "shared"}),
    "embed": frozenset({"board", "game", "records", "rules", "shared"}),
    "chat": frozenset({"shared"}),
    "local": frozenset({"engine", "lobby", "setup", "shared"}),
    "serverless": frozenset({"engine", "shared"}),
    "push": frozenset({"shared"}),
    "openings": frozenset({"board", "game", "records", "rules", "shared"}),
    "game": frozenset({"board", "engine", "records", "rules", "shared"}),
    "records": frozenset({"shared"}),
    "puzzles": frozenset({"game", "board", "rules", "shared"}),
    "ratings": frozenset({"shared"}),
    "lobby": frozenset({"setup", "board", "rules", "shared"}),
    "tournaments": frozenset({"setup", "board", "shared"}),
    "setup": frozenset({"board", "rules", "shared"}),
    "board": frozenset({"shared"}),
    "engine": frozenset({"shared"}),
    "rules": frozenset({"shared"}),
    "shared": frozenset(),
}
"""Which other folders the scripts of each may import; the page itself starts in none of them."""

IMPORT = re.compile(r"""(?:\bfrom\s+|\bimport\s*\(?\s*)["']([^"']+)["']""")

Sources = Mapping[str, str]
"""Text by path, from the folder of the scripts."""


def test_imports_point_one_way() -> None:
    assert list(against_the_direction(sources(SCRIPTS))) == []


def test_no_other_script_imports_a_capability() -> None:
    importers = {
        path
        for path, targets in imports(sources(SCRIPTS)).items()
        for target in targets
        if (area := posixpath.dirname(target)) in AREAS and posixpath.dirname(path) != area
    }
    assert importers == {"areas.js"}


def test_the_list_of_the_capabilities_is_current() -> None:
    listed = (SCRIPTS / "areas.js").read_text(encoding="utf-8")
    assert listed == areas_script(FOLDER), "run `make bundle`"


def test_no_imports_go_round_in_a_circle() -> None:
    assert circle(sources(SCRIPTS)) is None


def test_the_scripts_are_all_needed() -> None:
    """Those of `rules` are imported by the name of their game; a worker is started."""
    used = {target for text in imports(sources(SCRIPTS)).values() for target in text}
    files = {path for path in sources(SCRIPTS) if not path.startswith("rules/")}
    assert files - used == {"main.js", "engine/worker.js"}


@pytest.mark.parametrize(
    ("importer", "line", "broken"),
    [
        ("board/view.js", 'import { x } from "../game/page.js";', "board may import shared only"),
        ("rules/a.js", '/** @import { X } from "../board/b.js" */', "rules may import shared only"),
        ("shared/a.js", 'const b = import("../rules/b.js");', "shared may import nothing else"),
        (
            "lobby/page.js",
            'import {\n  one,\n  two,\n} from "../game/page.js";',
            "lobby may import board, rules, setup, shared only",
        ),
        ("shared/a.js", '/** @type {import("../main.js").X} */', "shared may import nothing else"),
        ("new/a.js", 'import "../shared/a.js";', "new is no folder of the page's scripts"),
    ],
)
def test_the_rule_that_an_import_breaks_is_named(importer: str, line: str, broken: str) -> None:
    [words] = against_the_direction({importer: line})
    assert words.startswith(importer)
    assert words.endswith(broken)


def test_a_circle_is_named_file_by_file() -> None:
    three = {
        "board/a.js": 'import { b } from "./b.js";',
        "board/b.js": '/** @import { C } from "../shared/c.d.ts" */',
        "shared/c.d.ts": 'import type { A } from "../board/a.js";',
    }
    assert circle(three) == ["board/a.js", "board/b.js", "shared/c.d.ts", "board/a.js"]
    assert circle({**three, "shared/c.d.ts": ""}) is None


def sources(folder: Path) -> Sources:
    files = [file for kind in ("*.js", "*.ts") for file in sorted(folder.rglob(kind))]
    return {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in files}


def imports(of: Sources) -> dict[str, list[str]]:
    """What each script imports, but for what others have written."""
    found = {}
    for path, text in of.items():
        folder = posixpath.dirname(path)
        targets = [
            posixpath.normpath(posixpath.join(folder, name)) for name in IMPORT.findall(text)
        ]
        found[path] = [target for target in targets if not target.startswith("../vendor/")]
    return found


def against_the_direction(of: Sources) -> Iterator[str]:
    """A sentence for each import that no rule allows."""
    for path, targets in imports(of).items():
        folder = posixpath.dirname(path)
        for target in targets:
            other = posixpath.dirname(target)
            if folder not in BELOW:
                yield f"{path}: {folder} is no folder of the page's scripts"
            elif other != folder and other not in BELOW[folder]:
                allowed = ", ".join(sorted(BELOW[folder]))
                rule = f"{allowed} only" if allowed else "nothing else"
                yield f"{path} imports {target}: {folder} may import {rule}"


def circle(of: Sources) -> list[str] | None:
    """Files that import one another in a circle, the first one again at the end."""
    graph = imports(of)
    done: set[str] = set()

    def follow(path: list[str]) -> list[str] | None:
        here = path[-1]
        if here in path[:-1]:
            return path[path.index(here) :]
        if here in done:
            return None
        for target in graph.get(here, []):
            found = follow([*path, target])
            if found is not None:
                return found
        done.add(here)
        return None

    return next((found for path in graph if (found := follow([path])) is not None), None)
