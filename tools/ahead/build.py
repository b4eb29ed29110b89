"""Build the libraries and the WebAssembly modules of all games, with what their hosts must know.

Each game has a process of its own that notes types, and one that translates and compiles: kernels
run as Python in the one and are compiled in the other (`engine.kernel.mode`), and Numba keeps
memory for all that it has translated.
"""

import argparse
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bot.arena.web.engine_files import ENGINE, engine_files, games_in
from bot.arena.web.page_bundle import FOLDER as PAGE
from engine.catalogue import games
from engine.kernel.library import ANY_GAME, COMPILE, ENVIRONMENT, LAYOUT
from engine.kernel.sources import sources_key
from tools import ROOT

AHEAD: Final = ROOT / "build" / "ahead"
PARTS: Final = ("note", "compile")
MEANING: Final = {
    "note": "note the types of its kernels",
    "compile": "compile for {targets}",
}
WEB_LAYOUTS: Final = "web"
"""The folder in which parts leave what hosts in JavaScript read."""
PAGE_ENGINE: Final = PAGE / ENGINE
"""Where the arena has the files for its page."""
KEY: Final = "KEY"
"""The file there that names the version of what they were made from."""
FOR_THE_PAGE: Final = ("wasm32",)
"""The targets of `--page`."""


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.ahead", description=__doc__)
    parser.add_argument("--targets", nargs="+", metavar="NAME", help="by default, all")
    parser.add_argument("--output", type=Path, default=AHEAD, metavar="DIR")
    parser.add_argument("--page", action="store_true", help="write what the arena's page needs")
    names = [game.name for game in games()]
    parser.add_argument("--games", nargs="+", choices=names, default=names, metavar="GAME")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    match given.part:
        case "note":
            note(given.games[0], given.output)
        case "compile":
            compile_game(given.games[0], given.targets, given.output, is_first=given.first)
        case _ if given.page:
            build_page(given.games)
        case _:
            build(given.output, given.games, given.targets)


def build_page(names: Sequence[str]) -> None:
    """Build what browsers need into the page's folder, unless it is there already.

    The folder is replaced at once, since a running arena may read it.
    """
    version = page_version()
    key = PAGE_ENGINE / KEY
    fits = key.is_file() and key.read_text(encoding="ascii") == version
    if fits and set(names) <= {*games_in(engine_files(PAGE))}:
        print("the page has the engine already")
        return
    AHEAD.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=AHEAD.parent) as made:
        build(Path(made), names, FOR_THE_PAGE)
        (Path(made) / KEY).write_text(version, encoding="ascii")
        Path(made).chmod(0o755)  # for the user of an arena
        shutil.rmtree(PAGE_ENGINE, ignore_errors=True)
        shutil.move(made, PAGE_ENGINE)
        Path(made).mkdir()  # which is removed next
    print("the page has the engine")


def page_version() -> str:
    """Return a hash of the engine's sources and of these tools, which decide about the files."""
    digest = hashlib.sha256(sources_key().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def build(
    output: Path,
    names: Sequence[str],
    wanted: Sequence[str] | None = None,
    *,
    web: Path | None = None,
) -> None:
    """Build some games for some targets, and write the layouts.

    Args:
        output: The folder for the files.
        names: The games.
        wanted: The names of the targets; by default all.
        web: Another folder for the modules for browsers and their layouts.
    """
    from tools.ahead.targets import TARGETS, link
    from tools.ahead.web_linker import link_module

    targets = [TARGETS[name] for name in wanted or TARGETS]
    web = web or output
    for folder in (output, web):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for game, part, words in steps(names, [each.name for each in targets]):
            print(words, flush=True)
            options = ["--first"] if game == names[0] else []
            _run(part, game, place, [*options, "--targets", *(each.name for each in targets)])
        for target in targets:
            objects = {game: place / f"{game}-{target.name}.o" for game in names}
            if target.is_web:
                for game, each in objects.items():
                    (web / f"{game}.wasm").write_bytes(link_module(each.read_bytes()))
                for file in (place / WEB_LAYOUTS).iterdir():
                    shutil.copy(file, web / file.name)
            else:
                link([*objects.values()], output / f"{target.name}.so")
        if not all(target.is_web for target in targets):
            layouts = [json.loads((place / f"{game}.json").read_text()) for game in names]
            _write_layout(layouts, output / LAYOUT)
            for game, layout in zip(names, layouts, strict=True):
                _write_header(game, layout, place / WEB_LAYOUTS, output)


def steps(names: Sequence[str], targets: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each step: its game, its part, and a line that says what it does and how many are left.

    The steps of one game take about as long as those of another.
    """
    todo = [(game, part) for game in names for part in PARTS]
    for number, (game, part) in enumerate(todo, 1):
        does = MEANING[part].format(targets=", ".join(targets))
        yield game, part, f"[{number} of {len(todo)}] {game}: {does}"


def _run(part: str, game: str, place: Path, options: Sequence[str]) -> None:
    environment = {**os.environ, ENVIRONMENT: COMPILE}
    environment["NUMBA_DISABLE_JIT"] = "1" if part == "note" else "0"
    command = [sys.executable, "-m", "tools.ahead", "--part", part, "--games", game]
    command += ["--output", str(place), *options]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def note(game: str, place: Path) -> None:
    """Write the entries of a game, and what the layout says of them."""
    from tools.ahead.entries import entries_of

    entries = entries_of(game)
    from tools.ahead.web_layout import write_layouts  # which imports kernels

    (place / f"{game}.types").write_bytes(pickle.dumps(entries))
    takes = {each.function: {each.owner(game): each.described} for each in entries}
    (place / f"{game}.json").write_text(json.dumps(takes), encoding="utf-8")
    (place / WEB_LAYOUTS).mkdir(exist_ok=True)
    write_layouts(game, entries, place / WEB_LAYOUTS)


def compile_game(game: str, targets: Sequence[str], place: Path, *, is_first: bool) -> None:
    """Translate the entries of a game, and write an object file for each target.

    The first game of a library has the entries that all games share.
    """
    import engine
    from tools.ahead.module import game_module
    from tools.ahead.targets import TARGETS, object_code

    engine.game(game)  # which registers its kernels
    entries = pickle.loads((place / f"{game}.types").read_bytes())
    module = game_module(entries)
    for target in (TARGETS[name] for name in targets):
        symbols = {}
        for each in entries:
            if target.is_web:
                symbols[each.function] = each.function
            elif is_first or each.owner(game) != ANY_GAME:
                symbols[each.function] = f"{each.owner(game)}_{each.function}"
        (place / f"{game}-{target.name}.o").write_bytes(object_code(module, target, symbols))


def _write_header(game: str, layout: Mapping[str, Any], web: Path, output: Path) -> None:
    """Write the header for programs in C."""
    from tools.ahead.c_header import header

    prefix = f"{game}-"
    boards = {
        file.stem.removeprefix(prefix): json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(web.glob(f"{prefix}*.json"))
    }
    of_game = json.loads((web / f"{game}.json").read_text(encoding="utf-8"))
    owners = {function: next(iter(takes)) for function, takes in layout.items()}
    (output / f"{game}.h").write_text(header(of_game, boards, owners), encoding="utf-8")


def _write_layout(layouts: Sequence[Any], file: Path) -> None:
    entries: dict[str, dict[str, str]] = {}
    for layout in layouts:
        for function, takes in layout.items():
            entries.setdefault(function, {}).update(takes)
    content = {"sources": sources_key(), "entries": entries}
    file.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
