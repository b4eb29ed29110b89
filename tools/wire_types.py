"""The messages of the arena protocol as types for the page's scripts, from its JSON Schema.

    python -m tools.wire_types

writes the file that `make check` reads the scripts against; a test says when it is out of date.
"""

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any, Final, get_args

from bot import wire
from bot.arena.web.page_bundle import FOLDER
from bot.wire.schema import events_schema

FILE: Final = FOLDER / "js" / "shared" / "wire.d.ts"
WIDTH: Final = 100
HEAD: Final = """\
/**
 * The messages of the arena protocol; docs/arena-protocol.md explains them. Written by
 * `python -m tools.wire_types` from bot/wire.
 */

export type Seat = 1 | 2;
export type TimeControl = GameSetup["clock"];
"""
SEATS: Final = list(get_args(wire.Seat))
PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def written() -> str:
    """The file as it should be."""
    schema = events_schema()
    asked = {name: _exchange(event) for name, event in schema["client_events"].items()}
    told = {name: _type(event) for name, event in schema["server_events"].items()}
    parts = [
        HEAD,
        *(_interface(_name(name), described) for name, described in schema["$defs"].items()),
        _map("ClientEvents", "What a client may ask for, and how that is acknowledged.", asked),
        _map("ServerEvents", "What the server tells of its own accord.", told),
    ]
    return "\n".join(parts)


def _exchange(event: dict[str, Any]) -> str:
    answer, _refusal = event["acknowledged"]["oneOf"]
    return f"{{ send: {_type(event['send'])}; answer: {_type(answer)} }}"


def _name(definition: str) -> str:
    """Of what goes both ways, the one that the server sends has the plain name."""
    return definition.removesuffix("-Output").replace("-Input", "Sent")


def _interface(name: str, described: dict[str, Any]) -> str:
    required = described.get("required", [])
    fields: list[str] = []
    for field, schema in described.get("properties", {}).items():
        fields += _comment(schema.get("description"), "  ")
        fields += _field(field if field in required else f"{field}?", _type(schema))
    head = _comment(described.get("description"), "")
    return "\n".join([*head, f"export interface {name} {{", *fields, "}", ""])


def _field(name: str, text: str) -> list[str]:
    line = f"  {name}: {text};"
    if len(line) <= WIDTH:
        return [line]
    return [f"  {name}:", *(f"    | {part}" for part in f"{text};".split(" | "))]


def _map(name: str, description: str, entries: dict[str, str]) -> str:
    plain = all(re.fullmatch(r"\w+", key) for key in entries)
    fields = [f"  {key if plain else json.dumps(key)}: {text};" for key, text in entries.items()]
    head = _comment(description, "")
    return "\n".join([*head, f"export interface {name} {{", *fields, "}", ""])


def _type(schema: dict[str, Any]) -> str:
    """A schema as a type; the limits of numbers and texts are lost."""
    if "$ref" in schema:
        return _name(schema["$ref"].rsplit("/", 1)[-1])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return "Seat" if schema["enum"] == SEATS else " | ".join(map(json.dumps, schema["enum"]))
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(map(_type, schema[union])))
    if schema["type"] == "array":
        return _array(schema)
    if schema["type"] == "object":
        return f"Record<string, {' | '.join(_values(schema))}>"
    return PLAIN[schema["type"]]


def _array(schema: dict[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    item = _type(schema["items"])
    return f"({item})[]" if " | " in item else f"{item}[]"


def _values(schema: dict[str, Any]) -> Iterator[str]:
    """What a dictionary may hold."""
    if "patternProperties" in schema:
        yield from map(_type, schema["patternProperties"].values())
    else:
        yield _type(schema["additionalProperties"])


def _comment(text: str | None, indent: str) -> list[str]:
    if not text:
        return []
    words = " ".join(text.split())
    line = f"{indent}/** {words} */"
    if len(line) <= WIDTH:
        return [line]
    inside = f"{indent} * "
    lines = textwrap.wrap(words, WIDTH, initial_indent=inside, subsequent_indent=inside)
    return [f"{indent}/**", *lines, f"{indent} */"]


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
