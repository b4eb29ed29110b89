"""The imports of the sources, and the rules about them in pyproject.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import grimp

from tools import ROOT

PACKAGES: Final = ("bot", "engine")


@cache
def imports() -> grimp.ImportGraph:
    """Which module imports which, also inside functions and for types only."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def contracts(pyproject: Path = ROOT / "pyproject.toml") -> dict[str, dict[str, Any]]:
    """The rules that `lint-imports` keeps, by their ids."""
    linter = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]
    return {contract["id"]: contract for contract in linter["contracts"]}


@dataclass(frozen=True)
class Room:
    """A package or a module right below `bot` or `engine`, with all that is in it."""

    module: str
    subject: str
    """The first sentence of its docstring."""
    parts: tuple[str, ...]
    """The packages in it."""

    @property
    def name(self) -> str:
        return self.module.rpartition(".")[2]


def floors(house: str) -> list[list[Room]]:
    """The rooms of `bot` or `engine`, the highest floor first."""
    layers: list[str] = contracts()[f"floors-of-{house}"]["layers"]
    return [
        [_room(f"{house}.{name}") for name in layer.replace("|", ":").replace(" ", "").split(":")]
        for layer in layers
    ]


def _room(module: str) -> Room:
    graph = imports()
    parts = sorted(part for part in graph.find_children(module) if graph.find_children(part))
    return Room(module, _subject(module), tuple(_last(part) for part in parts))


def _last(module: str) -> str:
    return module.rpartition(".")[2]


def _subject(module: str) -> str:
    path = ROOT.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    first = file.read_text(encoding="utf-8").partition("\n")[0].strip('"')
    return first.partition(". ")[0].partition(";")[0].rstrip(".").replace("`", "")


def arrows() -> list[tuple[str, str]]:
    """Which room imports which, without those that another way leads to already."""
    graph = imports()
    rooms = [room.module for house in PACKAGES for floor in floors(house) for room in floor]
    of = {module: room for room in rooms for module in (room, *graph.find_descendants(room))} | {
        "engine": "engine"
    }
    below: dict[str, set[str]] = {room: set() for room in (*rooms, "engine")}
    for module in graph.modules - {"engine"}:
        for imported in graph.find_modules_directly_imported_by(module):
            here, there = of.get(module), of.get(imported)
            if here and there and here != there:
                below[here].add(there)
    return sorted(
        (here, there)
        for here, known in below.items()
        for there in known
        if not any(
            there in below[between] or _reaches(below, between, there)
            for between in known - {there}
        )
    )


def _reaches(below: dict[str, set[str]], start: str, end: str) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        room = waiting.pop()
        if room == end:
            return True
        waiting += below[room] - seen
        seen |= below[room]
    return False
