"""Write the package for programs in JavaScript: `python -m tools.npm`.

It has the engine for browsers, which `python -m tools.ahead --page` makes, and the scripts of the
arena's page that use it, as they are. Nobody publishes it: `npm install FOLDER` installs it.
"""

import argparse
import json
import posixpath
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bot.arena.web.engine_files import ENGINE, engine_files, games_in
from bot.arena.web.page_bundle import FOLDER as PAGE
from engine.catalogue import games
from tools import ROOT
from tools.bundle import STATIC, imported

NAME: Final = "bluestone-engine"
PACKAGE: Final = ROOT / "build" / NAME
SOURCES: Final = Path(__file__).parent
ENTRY: Final = "index.js"
TYPES: Final = "index.d.ts"
README: Final = "README.md"
SCRIPTS: Final = "../../bot/arena/web/js/"
"""The page's scripts as the entry sees them here; in the package they are in `js/`."""
GAMES_PLACE: Final = "{games}"
GAMES_OF_ENTRY: Final = "const GAMES = {};"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.npm", description=__doc__)
    parser.add_argument("--output", type=Path, default=PACKAGE, metavar="DIR")
    print(write_package(parser.parse_args().output))


def write_package(output: Path, page: Path = PAGE) -> Path:
    """Write the package into a folder, with the games that `page` has the engine for.

    Raises FileNotFoundError if it has none of these sources.
    """
    engine = engine_files(page)
    if not engine:
        raise FileNotFoundError("there is no engine: run python -m tools.ahead --page")
    shutil.rmtree(output, ignore_errors=True)
    for name in (ENGINE, "js"):
        (output / name).mkdir(parents=True)
    for name, file in engine.items():
        shutil.copy(file, output / ENGINE / name)
    for name in scripts():
        target = output / "js" / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(PAGE / "js" / name, target)
    entry = (SOURCES / ENTRY).read_text(encoding="utf-8").replace(SCRIPTS, "./js/")
    known = json.dumps(known_setups(games_in(engine)), indent=2)
    readme = (SOURCES / README).read_text(encoding="utf-8")
    texts = {
        ENTRY: entry.replace(GAMES_OF_ENTRY, f"const GAMES = {known};"),
        TYPES: (SOURCES / TYPES).read_text(encoding="utf-8"),
        README: readme.replace(GAMES_PLACE, games_table(games_in(engine))),
        "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
        "package.json": json.dumps(manifest(), indent=2) + "\n",
    }
    for name, text in texts.items():
        (output / name).write_text(text, encoding="utf-8")
    return output


def scripts() -> list[str]:
    """The page's scripts that the entry imports, directly or not, as paths from their folder."""
    entry = (SOURCES / ENTRY).read_text(encoding="utf-8")
    direct = [path.removeprefix(SCRIPTS) for path in STATIC.findall(entry)]
    indirect = [each for name in direct for each in imported(PAGE / "js", name)]
    return sorted({posixpath.normpath(name) for name in (*direct, *indirect)})


def manifest() -> Mapping[str, Any]:
    """The content of package.json."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    return {
        "name": NAME,
        "version": project["version"],
        "description": "The rules and the search of two-stone board games, as WebAssembly",
        "license": project["license"],
        "type": "module",
        "exports": {".": {"types": f"./{TYPES}", "default": f"./{ENTRY}"}},
        "types": f"./{TYPES}",
        "sideEffects": False,
        "engines": {"node": ">=20"},
    }


def known_setups(names: Sequence[str]) -> Mapping[str, Any]:
    """What the entry refuses to load anything else than: boards, rule sets, values of options."""
    return {
        game.name: {
            "boards": game.boards,
            "rules": game.rule_sets,
            "options": {
                option.name: {"choices": option.choices}
                if option.choices
                else {"low": option.low, "high": option.high}
                for option in game.options
            },
        }
        for game in games()
        if game.name in names
    }


def games_table(names: tuple[str, ...]) -> str:
    """The games, boards, rule sets and options, as a table in Markdown."""
    rows = [
        (
            game.name,
            ", ".join(game.boards),
            ", ".join(game.rule_sets),
            ", ".join(option.name for option in game.options) or "none",
        )
        for game in games()
        if game.name in names
    ]
    lines = [("game", "board", "rules", "options"), ("---",) * 4, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
