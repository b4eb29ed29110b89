"""What pages and example files say about settings: tables of keys, and lines of TOML."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from bot.engines.spec import SandboxSettings
from tests.docs.pages import ROOT

Model = type[BaseModel]

NONE = "none"
REQUIRED = "required"
_ROW = re.compile(r"^\| `(\w+)` \| (.+?) \|", re.MULTILINE)
_HEADER = re.compile(r"^(?:# )?\[+([\w.]+)\]+(?: |$)")
_LINE = re.compile(r"^(?P<hash># )?(?P<key>\w+) = (?P<value>.+?)(?: +# (?P<comment>.*))?$")


def told(page: str, heading: str) -> dict[str, str]:
    """The defaults in the table below a heading of the third level, by key, in order."""
    section = page.partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    return {key: cell.strip("`") for key, cell in _ROW.findall(section)}


def defaults(model: Model) -> dict[str, str]:
    """What a page has to say of each key."""
    return {
        key: REQUIRED
        if field.is_required()
        else _in_toml(field.get_default(call_default_factory=True))
        for key, field in model.model_fields.items()
    }


def _in_toml(value: object) -> str:
    if isinstance(value, SandboxSettings) and value == SandboxSettings():
        return "{}"
    if value is None:
        return NONE
    is_whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if is_whole else json.dumps(value, default=str)


@dataclass(frozen=True)
class Line:
    """A key in an example file; `is_set` is false where it is commented out."""

    key: str
    value: str
    comment: str
    is_set: bool

    def shows(self, default: str) -> bool:
        """Whether a reader learns the default here: it is the value, or the comment names it."""
        if default == NONE:
            return "no default" in self.comment
        return f"default {default}" in self.comment or _is_same(self.value, default)


def _is_same(value: str, default: str) -> bool:
    read = tomllib.loads(f"value = {value}")["value"]
    return bool(read == json.loads(default))


def lines(file: Path) -> dict[str, list[Line]]:
    """The lines of an example file by its tables, the first of which has no name."""
    found: dict[str, list[Line]] = {"": []}
    table = ""
    for text in file.read_text(encoding="utf-8").splitlines():
        if header := _HEADER.match(text):
            table = header[1]
            found[table] = []
        elif line := _LINE.match(text):
            comment, is_set = line["comment"] or "", line["hash"] is None
            found[table].append(Line(line["key"], line["value"], comment, is_set))
    return found


def events_in(page: str, column: str) -> set[str]:
    """What a page names as log lines: the words in that column of its tables."""
    found: set[str] = set()
    at: int | None = None
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if not line.startswith("|"):
            at = None
        elif column in cells:
            at = cells.index(column)
        elif at is not None:
            found |= set(re.findall(r"`(\w+)`", cells[at]))
    return found


def unknown_events(events: set[str]) -> list[str]:
    """Those that no module of the programs logs."""
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "bot").rglob("*.py"))
    return sorted(event for event in events if f'"{event}"' not in sources)
