"""The names that `docs/compatibility.md` promises, and their snapshot.

`python -m tests.release.surface` writes surface.json after something was added. It refuses to drop
a name, because each is a promise; `--forget` drops those that no release has had, or that a new
major version removes.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Final, get_args, get_origin

from cyclopts import App
from pydantic import BaseModel

import engine
from bot import errors
from bot.arena.settings import ArenaSettings
from bot.arena.web.page_bundle import FOLDER
from bot.arena.web.pages import addresses
from bot.cli.app import INTERRUPTED, USAGE_ERROR, _build
from bot.daemon.settings import Settings
from bot.matches.settings import LocalSettings
from bot.puzzles.model import FORMAT as PUZZLES
from bot.records.model import GameRecord
from bot.runtime.backup import Manifest
from bot.tournaments.trf import reading
from bot.wire.schema import events_schema
from engine import contract
from tools import ROOT

FILE: Final = Path(__file__).with_name("surface.json")
METRIC: Final = re.compile(r"^\| `((?:bluestone|process)_\w+)` \| (\w+) \|(.*?)\|", re.MULTILINE)
ROUTE: Final = re.compile(r"""routes\.get\(\s*r?"(/(?:api/|healthz)[^"]*)\"""")
VARIABLE_NAME: Final = re.compile(r"\"(BLUESTONE_[A-Z_]+)\"")
VARIABLE: Final = re.compile(r"\[.*\][+*]")
NOT_PROMISED: Final = tuple(f"bluestone {name} " for name in ("bench", "rehearse", "train"))
"""Commands whose name is promised, but neither their own commands nor their options."""
PARAMETER: Final = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


def surface() -> dict[str, list[str]]:
    """All promised names, by part."""
    return {
        "commands": sorted(filter(is_promised, commands(_build(), "bluestone"))),
        "arena settings": sorted(settings_keys(ArenaSettings)),
        "bot settings": sorted(settings_keys(Settings)),
        "tournament settings": sorted(settings_keys(LocalSettings)),
        "protocol": sorted(schema_places(events_schema())),
        "record": sorted(schema_places(GameRecord.model_json_schema())),
        "api": sorted(api()),
        "exit codes": sorted(exit_codes()),
        "http": sorted(http_addresses()),
        "page": sorted(f"/{VARIABLE.sub('{}', address)}" for address in addresses(FOLDER)),
        "metrics": sorted(metrics()),
        "formats": sorted(formats()),
        "environment": sorted(set(variables())),
    }


def commands(app: App, path: str) -> Iterator[str]:
    """Each command, and each of its arguments and options."""
    yield path
    if app.default_command is not None:
        for argument in app.assemble_argument_collection():
            if argument.parse and argument.show:
                yield from (f"{path} {name}" for name in argument.names)
    for name in app:
        if not name.startswith("-"):
            yield from commands(app[name], f"{path} {name}")


def is_promised(name: str) -> bool:
    """Whether the promise covers a command, or an argument or option of one."""
    return not name.startswith(NOT_PROMISED)


def settings_keys(model: type[BaseModel], path: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        place = f"{path}{field.alias or name}"
        yield place
        for nested in dict.fromkeys(models_in(field.annotation)):
            yield from settings_keys(nested, f"{place}.")


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models of an annotation such as `dict[str, Model]` or `Model | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) is not None or isinstance(annotation, UnionType):
        for part in get_args(annotation):
            yield from models_in(part)


def schema_places(document: Any, path: str = "") -> Iterator[str]:
    """Each property, event, code and choice of a JSON Schema.

    What is required of clients counts as a name too: a further requirement would break them, so
    `optional` properties are listed.
    """
    if isinstance(document, Mapping):
        for key, value in document.items():
            if key in {"description", "title", "default", "examples"} and isinstance(value, str):
                continue
            yield from schema_places(value, f"{path}/{key}")
        for name in document.get("properties", ()):
            if name not in document.get("required", ()):
                yield f"{path}/optional/{name}"
    elif isinstance(document, list):
        if not path.endswith("/required"):
            for value in document:
                is_plain = not isinstance(value, Mapping | list)
                yield from schema_places(value, path if is_plain else f"{path}/any")
    else:
        yield f"{path} = {json.dumps(document)}"


def api() -> Iterator[str]:
    for module in (engine, contract):
        for name, thing in vars(module).items():
            if name[0] == "_" or not is_exported(module, name, thing):
                continue
            yield f"{module.__name__}.{name}"
            if isinstance(thing, type):
                members: Iterable[str] = vars(thing)
                yield from (f"{module.__name__}.{name}.{m}" for m in members if m[0] != "_")


def is_exported(module: ModuleType, name: str, thing: object) -> bool:
    exported = getattr(module, "__all__", None)
    its_own = getattr(thing, "__module__", None) == module.__name__
    return its_own if exported is None else name in exported


def exit_codes() -> Iterator[str]:
    yield from (f"{USAGE_ERROR} wrong arguments", f"{INTERRUPTED} interrupted")
    for module in (errors, reading):
        for name, thing in vars(module).items():
            is_its_own = getattr(thing, "__module__", None) == module.__name__
            if is_its_own and isinstance(thing, type) and issubclass(thing, errors.BluestoneError):
                yield f"{thing.exit_code} {name}"


def http_addresses() -> Iterator[str]:
    """The addresses that a program may GET, with each choice of a form, such as `svg|png`."""
    for file in (ROOT / "bot" / "arena").rglob("*.py"):
        for route in ROUTE.findall(file.read_text(encoding="utf-8")):
            yield from _with_choices(route)


def _with_choices(route: str) -> Iterator[str]:
    for found in PARAMETER.finditer(route):
        pattern = found[2] or ""
        if re.fullmatch(r"\w+(?:\|\w+)+", pattern):
            for choice in pattern.split("|"):
                yield from _with_choices(route.replace(found[0], choice))
            return
    if "{rest" not in route:
        yield PARAMETER.sub(r"{\1}", route)


def metrics() -> Iterator[str]:
    """Each metric with its type and labels; another test holds their page to the programs."""
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    for name, kind, labels in METRIC.findall(page):
        yield f"{name} {kind}"
        yield from (f"{name}{{{label}}}" for label in re.findall(r"`(\w+)`", labels))


def variables() -> Iterator[str]:
    """The environment variables that the programs read; the arena's begin as its settings do."""
    for folder in ("bot", "engine"):
        for file in (ROOT / folder).rglob("*.py"):
            yield from VARIABLE_NAME.findall(file.read_text(encoding="utf-8"))


def formats() -> Iterator[str]:
    """The names by which a file says how it is written."""
    yield PUZZLES
    yield from (str(model.model_fields["format"].default) for model in (GameRecord, Manifest))


def stored() -> dict[str, list[str]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def lost(today: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of the snapshot that are no longer there, each after its part."""
    return [
        f"{part}: {name}"
        for part, names in stored().items()
        for name in sorted(set(names) - set(today.get(part, ())))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forget", action="store_true", help="drop names that are gone")
    options = parser.parse_args()
    today = surface()
    if (gone := lost(today)) and not options.forget:
        print("promised by docs/compatibility.md, and no longer there:", *gone, sep="\n")
        return 1
    FILE.write_text(json.dumps(today, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
