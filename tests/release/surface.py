"""The names that `docs/compatibility.md` promises, and their snapshot.

`python -m tests.release.surface` writes surface.json after something was added.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Final, get_args, get_origin

from cyclopts import App
from pydantic import BaseModel

import engine
from bot.arena.settings import ArenaSettings
from bot.cli.app import COMMANDS, _build
from bot.daemon.settings import Settings
from bot.matches.settings import LocalSettings
from bot.records.model import GameRecord
from bot.wire.schema import events_schema
from engine import contract

FILE: Final = Path(__file__).with_name("surface.json")


def surface() -> dict[str, list[str]]:
    """All promised names, by part."""
    return {
        "commands": sorted(commands(_build(), "bluestone")),
        "arena settings": sorted(settings_keys(ArenaSettings)),
        "bot settings": sorted(settings_keys(Settings)),
        "tournament settings": sorted(settings_keys(LocalSettings)),
        "protocol": sorted(schema_places(events_schema())),
        "record": sorted(schema_places(GameRecord.model_json_schema())),
        "api": sorted(api()),
    }


def commands(app: App, path: str) -> Iterator[str]:
    """Each command, and each of its arguments and options."""
    yield path
    if app.default_command is not None:
        for argument in app.assemble_argument_collection():
            if argument.parse and argument.show:
                yield from (f"{path} {name}" for name in argument.names)
    names = COMMANDS if path == "bluestone" else (n for n in app if not n.startswith("-"))
    for name in names:
        yield from commands(app[name], f"{path} {name}")


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


def stored() -> dict[str, list[str]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def main() -> int:
    FILE.write_text(json.dumps(surface(), indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
