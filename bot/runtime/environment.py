"""Settings that are said outside of their file, in the environment or on the command line.

A variable is PREFIX_KEY, or PREFIX_TABLE__KEY for a key inside a table, in capitals or not; lists
and whole tables are JSON.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from bot.runtime.toml_settings import Place, is_model, parts_in

INSIDE: Final = "__"

Said = dict[Place, tuple[str, object]]
"""Who has said each value, and the value."""


def said_by_environment(model: type[BaseModel], prefix: str, environ: Mapping[str, str]) -> Said:
    """What the variables say of the model's keys."""
    variables = {name.upper(): text for name, text in environ.items()}
    said: Said = {}
    for key, field in model.model_fields.items():
        name, parts = prefix + key.upper(), parts_in(field.annotation)
        if name in variables:
            value = _json(variables[name]) if parts else variables[name]
            table = value if isinstance(value, dict) else None
            said |= {(key, part): (name, each) for part, each in (table or {}).items()}
            if table is None:
                said[(key,)] = (name, value)
        if any(map(is_model, parts)):
            start = name + INSIDE
            inside = [variable for variable in variables if variable.startswith(start)]
            said |= {
                (key, variable.removeprefix(start).lower()): (variable, variables[variable])
                for variable in inside
            }
    return said


def with_what_is_said(tables: Mapping[str, Any], said: Said) -> dict[str, Any]:
    """A file's tables, in which what is said outside of the file takes the place of its values."""
    whole = dict(tables)
    for (key, *inner), (_, value) in said.items():
        table = whole.get(str(key))
        inside = table if isinstance(table, dict) else {}
        whole[str(key)] = {**inside, inner[0]: value} if inner else value
    return whole


def who_said(place: Place, said: Said) -> str | None:
    """None where nobody outside of the file has said anything about that place."""
    by = said.get(place[:2]) or said.get(place[:1])
    return None if by is None else by[0]


def _json(text: str) -> object:
    """What is none stays as it is, for the model to complain about."""
    try:
        return json.loads(text)
    except ValueError:
        return text
