"""All files of a static site, by their paths in its folder."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import orjson

import engine
from bot.arena.games.games_api import board_document, offers_document, usual_boards_document
from bot.arena.games.referee import Menu
from bot.arena.http.documents import IDENTITY, Document
from bot.arena.web.engine_files import ENGINE, engine_files, games_in
from bot.arena.web.page_bundle import FOLDER, MANIFEST, OFFLINE, PageBundle, manifest, page_bundle
from bot.errors import ConfigurationError, HostError
from bot.guests.static_site.documents import site_documents
from bot.guests.static_site.sheets import sheets
from bot.puzzles.library import shipped
from bot.puzzles.model import Puzzle, puzzle_fields

BASE: Final = re.compile(r"(/[A-Za-z0-9._~-]+)*")
GAMES: Final = "api/games.json"
WORKER: Final = "service_worker.js"
ICONS: Final = ("icon.svg", "icons/*.png")
NOT_SHOWN: Final = frozenset({"before", "second_turn", "source"})
"""What the page does not show of a puzzle."""


def checked_base(text: str) -> str:
    """The path of a site without a slash at its end. Raises ConfigurationError."""
    base = text.rstrip("/")
    if BASE.fullmatch(base) is None:
        raise ConfigurationError(f"--base: {text!r} is no path such as /games")
    return base


def site_files(base: str | None = None, folder: Path = FOLDER) -> dict[str, bytes]:
    """The site for the page in a folder. `base` is its path, if that is known.

    Raises HostError if the page or the engine for browsers is not built.
    """
    bundle, files = _built(folder)
    found = {f"assets/{name}": _body(each) for name, each in bundle.assets.items()}
    found |= {
        f"messages/{language}/{area}.json": _body(each)
        for (language, area), each in bundle.texts.items()
    }
    found |= {f"lessons/{game}.json": _body(each) for game, each in bundle.lessons.items()}
    found |= {f"{ENGINE}/{name}": _body(each) for name, each in bundle.engine.items()}
    found |= {path: orjson.dumps(data) for path, data in _data(files)}
    found |= sheets({info.name: _boards(info.name, files) for info in engine.games()})
    found |= {
        icon.relative_to(folder).as_posix(): icon.read_bytes()
        for pattern in ICONS
        for icon in sorted(folder.glob(pattern))
    }
    found[MANIFEST] = _manifest(folder, base)
    found[WORKER] = (folder / WORKER).read_bytes()
    found[f"assets/{OFFLINE}"] = orjson.dumps(_offline(found, bundle))
    documents = site_documents(folder, bundle.first, files, base)
    return found | {path: text.encode() for path, text in documents.items()}


def _built(folder: Path) -> tuple[PageBundle, dict[str, Path]]:
    bundle, files = page_bundle(folder), engine_files(folder)
    if bundle is None:
        raise HostError("the page's scripts are not bundled: run `make bundle` in the clone")
    missing = {info.name for info in engine.games()} - set(games_in(files))
    if missing:
        names = ", ".join(sorted(missing))
        how = "run `python -m tools.ahead --page` in a clone; the wheels for Linux have it"
        raise HostError(f"the engine for browsers is not built for {names}: {how}")
    return bundle, files


def _body(document: Document) -> bytes:
    return document.bodies[IDENTITY]


def _data(files: dict[str, Path]) -> Iterator[tuple[str, Any]]:
    """What an arena answers below /api, as files; `js/shared/site.js` adds their ending.

    A browser can play only on the boards in `files`.
    """
    boards = {info.name: _boards(info.name, files) for info in engine.games()}
    offered = tuple(
        replace(
            info,
            boards=tuple(each for each in info.boards if each in boards[info.name]),
            board_forms=(),
        )
        for info in engine.games()
    )
    yield GAMES, offers_document(Menu(offered, ("none",)))
    for game, names in boards.items():
        yield f"api/boards/{game}.json", usual_boards_document(game)
        for board in names:
            yield f"api/boards/{game}/{board}.json", board_document(game, board)
        puzzles = [_puzzle(each) for each in shipped(game) if each.board in names]
        yield f"api/puzzles/{game}.json", {"puzzles": puzzles}


def _boards(game: str, files: dict[str, Path]) -> list[str]:
    """The boards with a layout for the engine."""
    layouts = [name for name in files if name.endswith(".json") and name.startswith(f"{game}-")]
    return [name.removeprefix(f"{game}-").removesuffix(".json") for name in layouts]


def _puzzle(puzzle: Puzzle) -> dict[str, Any]:
    fields = puzzle_fields(puzzle)
    return {name: value for name, value in fields.items() if name not in NOT_SHOWN}


def _manifest(folder: Path, base: str | None) -> bytes:
    """The manifest; without a known path, relative to the folder that it is in."""
    if base is not None:
        return manifest(folder, base)
    fields = orjson.loads(manifest(folder, "."))
    fields.pop("id")  # it would be relative to the top of the site
    return orjson.dumps(fields)


def _offline(found: dict[str, bytes], bundle: PageBundle) -> dict[str, list[str]]:
    """What a browser keeps, as `js/local/offline.js` reads it."""
    kept = ("assets/", "lessons/", f"{ENGINE}/", "api/")
    files = [f"/{path}" for path in found if path.startswith(kept)]
    return {"files": files, "texts": sorted({area for _, area in bundle.texts})}
