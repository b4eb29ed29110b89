"""Settings files: read, validated, and told everything that is wrong at once, each with its place.

The daemon's and the arena's go through here alike: `read_toml`, then `validated`.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeGuard, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.errors import ConfigurationError
from bot.runtime.logs import SECRET_WORDS
from bot.runtime.setting_types import PATTERNS

Place = tuple[str | int, ...]
Problem = tuple[Place, str]
M = TypeVar("M", bound=BaseModel)

LARGEST_FILE: Final = 1 << 20
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_OF_A_KEY: Final = "[key]"
"""Pydantic's last part of the place of a key that is itself wrong."""
_NEVER_SHOWN: Final = (*SECRET_WORDS, "env")
"""Words in the names of keys whose values may be secrets."""
_IN_WORDS: Final = {
    "model_type": "a table is needed",
    "dict_type": "a table is needed",
    "list_type": "a list is needed",
    "path_type": "a path is needed, as a text",
    "missing": "it is missing",
}
"""What pydantic says in its own terms."""


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


def validated(
    model: type[M],
    tables: Mapping[str, Any],
    source_of: Callable[[Place], object],
    more: Iterable[Problem] = (),
    secrets: str | None = None,
) -> M:
    """What `model` makes of a file's tables.

    Raises ConfigurationError with everything that it has against them, each as `source: key: what`,
    and with those of `more` that are about other places. `secrets` says where what looks like one
    belongs; no value that may be one is repeated.
    """
    settings, problems = None, list[Problem]()
    try:
        settings = model.model_validate(tables)
    except ValidationError as error:
        details = error.errors(include_url=False)
        problems = [_problem(detail, model, secrets) for detail in details]
    told = {place for place, _ in problems}
    problems += [(place, text) for place, text in more if place not in told]
    if settings is None or problems:
        raise ConfigurationError([_line(source_of(place), place, text) for place, text in problems])
    return settings


def _line(source: object, place: Place, text: str) -> str:
    return f"{source}: {spell(place)}{text}"


def spell(place: Place) -> str:
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            key = part if _BARE_KEY.fullmatch(part) else json.dumps(part)
            text += f".{key}" if text else key
    return f"{text}: " if text else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    others = [each for each in known if each != word]  # such as a key of another kind of table
    near = difflib.get_close_matches(word, others, n=1, cutoff=0.6)
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
        return place, "unknown key" + did_you_mean(key, keys_at(model, place[:-1]))
    if detail["type"] == "too_short" and detail["input"] == []:
        return place, "empty, and so nothing would be possible; leave it out for the usual"
    text = _IN_WORDS.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "string_pattern_mismatch":
        text = PATTERNS.get(detail["ctx"]["pattern"], text)
    return place, text + _got(place, detail["input"], text)


def _got(place: Place, value: object, text: str) -> str:
    """Not if it is told already."""
    if any(word in str(part).lower() for part in place for word in _NEVER_SHOWN):
        return ""
    if isinstance(value, str):
        is_address_with_password = "://" in value and "@" in value
        is_told = repr(value) in text
        return "" if is_told or is_address_with_password else f" (it is {value[:60]!r})"
    return f" (it is {value})" if isinstance(value, int | float) else ""


def keys_at(model: type[BaseModel], place: Place) -> list[str]:
    """The keys that the table at `place` may have; of every kind that it may be."""
    kinds: list[object] = [model]
    for part in place:
        kinds = [inner for kind in kinds for inner in _inside(kind, part)]
    return [key for kind in kinds if is_model(kind) for key in kind.model_fields]


def _inside(kind: object, part: str | int) -> list[object]:
    if is_model(kind):
        field = kind.model_fields.get(str(part))
        return parts_in(field.annotation) if field else []
    return parts_in(get_args(kind)[-1]) if get_origin(kind) in {list, dict} else []


def parts_in(annotation: object) -> list[object]:
    """The tables, lists and maps that an annotation such as `Table | None` stands for."""
    if is_model(annotation) or get_origin(annotation) in {list, dict}:
        return [annotation]
    return [part for each in get_args(annotation) for part in parts_in(each)]


def is_model(kind: object) -> TypeGuard[type[BaseModel]]:
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
