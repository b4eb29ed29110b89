"""The recipe of the page about adding a game, carried out on a copy of the sources."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "adding-a-game.md"
COPIED = ("bot", "engine", "tools", "lab", "tests", "pyproject.toml", "deno.json")

_BLOCK = re.compile(
    r"^\*\*`(?P<file>[^`]+)`\*\*(?:, at the end of `(?P<table>\w+)`)?[^\n]*\n\n"
    r"```\w+\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Step:
    """A code block of the page: a whole file, or the last entry of a table in one."""

    file: str
    table: str | None
    code: str

    def carry_out(self, house: Path) -> None:
        path = house / self.file
        if self.table is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(self.code)
        else:
            source = path.read_text(encoding="utf-8")
            path.write_text(_with_entry(source, self.table, self.code), encoding="utf-8")


def _with_entry(source: str, table: str, entry: str) -> str:
    """A table is closed by a bracket at the beginning of a line."""
    begin = re.search(rf"^{table}\b[^\n]*[\[({{]$", source, re.MULTILINE)
    assert begin is not None, table
    end = re.compile(r"^[\])}]", re.MULTILINE).search(source, begin.end())
    assert end is not None, table
    return f"{source[: end.start()]}{indent(entry.rstrip(), '    ')},\n{source[end.start() :]}"


def steps() -> Iterator[Step]:
    page = PAGE.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(page):
        yield Step(block["file"], block["table"], block["code"])


def copy_of_the_house(folder: Path) -> Path:
    """The sources in a folder of their own, with nothing that was made from them."""
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            made = shutil.ignore_patterns("__pycache__", "node_modules")
            shutil.copytree(ROOT / name, folder / name, ignore=made)
        else:
            shutil.copy(ROOT / name, folder)
    return folder
