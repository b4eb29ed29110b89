"""Settings files: read, and told everything that is wrong with one at once, each with its place."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeGuard, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.errors import ConfigurationError
from bot.logs import SECRET_WORDS
from bot.setting_types import PATTERNS

Place = tuple[str | int, ...]
Problem = tuple[Place, str]

LARGEST_FILE: Final = 1 << 20
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_OF_A_KEY: Final = "[key]"
"""Pydantic's last part of the place of a key that is itself wrong."""
_NEVER_SHOWN: Final = (*SECRET_WORDS, "env")
"""Words in the names of keys whose values may be secrets."""


def read_toml(path: Path) -> dict[str, Any]:
    """Raises ConfigurationError for a file that cannot be read, or that is no TOML."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigurationError(f"{path}: cannot be read: {why}") from error
    if len(content) > LARGEST_FILE:
        raise ConfigurationError(f"{path}: longer than {LARGEST_FILE} bytes, so no settings")
    if content.startswith(_BYTE_ORDER_MARK):
        problem = "begins with a byte-order mark; save it as UTF-8 without one"
        raise ConfigurationError(f"{path}: line 1: {problem}")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(
            f"{path}: line {line}: not UTF-8 text, at byte {error.start}"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: not TOML: {error}") from error


def report(source: object, problems: Iterable[Problem]) -> list[str]:
    """Each as `source: key: what`."""
    return [f"{source}: {spell(place)}{text}" for place, text in problems]


def spell(place: Place) -> str:
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            key = part if _BARE_KEY.fullmatch(part) else json.dumps(part)
            text += f".{key}" if text else key
    return f"{text}: " if text else ""


def problems_of(
    error: ValidationError, model: type[BaseModel], secrets: str | None = None
) -> list[Problem]:
    """What `model` has against the settings; `secrets` says where what looks like one belongs.

    No value that may be a secret is repeated.
    """
    return [_problem(detail, model, secrets) for detail in error.errors(include_url=False)]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def changed_keys(old: BaseModel, new: BaseModel) -> list[str]:
    """The keys whose values differ, in the order of the model."""
    before, after = _flat(old.model_dump(mode="json")), _flat(new.model_dump(mode="json"))
    return [key for key in {**before, **after} if before.get(key) != after.get(key)]


# ---- inside ----------------------------------------------------------------------------------


def _problem(detail: ErrorDetails, model: type[BaseModel], secrets: str | None) -> Problem:
    place = detail["loc"]
    if place[-1:] == (_OF_A_KEY,):
        place = place[:-1]
    key = str(place[-1]) if place else ""
    if detail["type"] == "extra_forbidden":
        if secrets is not None and any(word in key.lower() for word in SECRET_WORDS):
            return place, secrets
        return place, "unknown key" + did_you_mean(key, _keys_at(model, place[:-1]))
    if detail["type"] == "too_short" and detail["input"] == []:
        return place, "empty, and so nothing would be possible; leave it out for the usual"
    text = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "string_pattern_mismatch":
        text = PATTERNS.get(detail["ctx"]["pattern"], text)
    return place, text + _got(place, detail["input"])


def _got(place: Place, value: object) -> str:
    if any(word in str(part).lower() for part in place for word in _NEVER_SHOWN):
        return ""
    if isinstance(value, str):
        is_address_with_password = "://" in value and "@" in value
        return "" if is_address_with_password else f" (it is {value[:60]!r})"
    return f" (it is {value})" if isinstance(value, int | float) else ""


def _keys_at(model: type[BaseModel], place: Place) -> list[str]:
    """The keys that the table at `place` may have."""
    kind: object = model
    for part in place:
        kind = _inside(kind, part)
    return list(kind.model_fields) if _is_model(kind) else []


def _inside(kind: object, part: str | int) -> object:
    if _is_model(kind):
        field = kind.model_fields.get(str(part))
        return _model_in(field.annotation) if field else None
    if get_origin(kind) is dict:
        return _model_in(get_args(kind)[1])
    return _model_in(get_args(kind)[0]) if get_origin(kind) is list else None


def _model_in(annotation: object) -> object:
    """The table, list or map of tables that an annotation such as `Table | None` stands for."""
    if _is_model(annotation) or get_origin(annotation) in {list, dict}:
        return annotation
    return next((a for a in get_args(annotation) if _is_model(a)), None)


def _is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _flat(value: object, place: Place = ()) -> dict[str, object]:
    """Tables and lists of tables taken apart, down to values."""
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        parts = list(enumerate(value))
    else:
        return {spell(place).removesuffix(": "): value}
    return {key: each for name, part in parts for key, each in _flat(part, (*place, name)).items()}
