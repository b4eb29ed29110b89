"""Settings from TOML files, the environment and the command line: read and validated."""

import difflib
import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeGuard, TypeVar, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import ErrorDetails

import engine
from bot.errors import ConfigurationError
from bot.runtime.logs import SECRET_WORDS
from bot.runtime.unix_sockets import UNIX, socket_file

SCHEMES: Final = ("http", "https", "ws", "wss")
VARIABLE_NAME: Final = r"^[A-Za-z_][A-Za-z0-9_]*$"
HOST: Final = r"^[A-Za-z0-9_.:%\-]+$"
EVENT_NAME: Final = r"^[\w .'\-]+$"
PATTERNS: Final = {
    HOST: "the name or the address of a machine is required",
    VARIABLE_NAME: "the name of an environment variable is required",
    EVENT_NAME: "only letters, digits, blanks and the characters . _ - ' are allowed",
}
"""The meaning of a pattern, in words."""


class SettingsTable(BaseModel):
    """A table of a settings file: no other keys, and no changes afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _one_line(text: str) -> str:
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise ValueError("line breaks and other control characters are not allowed")
    return text


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("the character NUL is not allowed")
    return text


def _path(path: Path) -> Path:
    _no_nul(str(path))
    return path


def _host(host: str) -> str:
    if any(len(label) > 63 for label in host.split(".")):
        raise ValueError("no part of a name may be longer than 63 characters")
    return host


def _host_or_socket(host: object, read_host: ValidatorFunctionWrapHandler) -> object:
    is_socket = isinstance(host, str) and socket_file(host) is not None
    return host if is_socket else read_host(host)


def _game(name: str) -> str:
    known = [info.name for info in engine.games()]
    if name not in known:
        raise engine.UnknownGame("game", name, known)
    return name


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"not an address: {str(error).lower()}") from None
    if url.startswith(UNIX):
        raise ValueError(
            "a Unix socket is for the proxy in front of an arena; give the proxy's address, such "
            "as https://arena.example"
        )
    if parts.scheme not in SCHEMES or not parts.hostname or any(map(str.isspace, url)):
        raise ValueError("an address such as https://arena.example is required")
    if port == 0:
        raise ValueError("not an address: port 0")
    _one_line(url)
    _host(parts.hostname)
    return url


OneLine = Annotated[str, AfterValidator(_one_line)]
NoNul = Annotated[str, AfterValidator(_no_nul)]
FilePath = Annotated[Path, AfterValidator(_path)]
Host = Annotated[
    str,
    Field(min_length=1, max_length=253, pattern=HOST),
    AfterValidator(_host),
]
"""A name or an IP address to listen on."""
HostOrSocket = Annotated[Host, WrapValidator(_host_or_socket)]
"""The same, or a Unix socket as unix:/run/bluestone/arena.sock."""
Address = Annotated[str, Field(max_length=2000), AfterValidator(_address)]
"""The address of a server, with its scheme."""
GameName = Annotated[str, AfterValidator(_game)]


# Settings files: read and validated, with all errors reported at once, each with its place.
#
# The files of the daemon and of the arena go through `read_toml`, then `validated`.

Place = tuple[str | int, ...]
Problem = tuple[Place, str]
M = TypeVar("M", bound=BaseModel)

LARGEST_FILE: Final = 1 << 20
LONGEST_SHOWN_BITS: Final = 64
"""Python refuses to write whole numbers with thousands of digits, which TOML can have in hex."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_OF_A_KEY: Final = "[key]"
"""The last part of pydantic's location if a key itself is invalid."""
_NEVER_SHOWN: Final = (*SECRET_WORDS, "env")
"""Words in the names of keys whose values may be secrets."""
_IN_WORDS: Final = {
    "model_type": "a table is required",
    "dict_type": "a table is required",
    "list_type": "a list is required",
    "path_type": "a path is required, as a text",
    "missing": "it is missing",
}
"""Replacements for pydantic's own messages."""


def read_toml(path: Path) -> dict[str, Any]:
    """Raises ConfigurationError for a file that cannot be read, or is not TOML."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigurationError(f"{path}: cannot be read: {why}") from error
    if len(content) > LARGEST_FILE:
        raise ConfigurationError(
            f"{path}: longer than {LARGEST_FILE} bytes, so it cannot be a settings file"
        )
    if content.startswith(_BYTE_ORDER_MARK):
        problem = "starts with a byte-order mark; save it as UTF-8 without one"
        raise ConfigurationError(f"{path}: line 1: {problem}")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(
            f"{path}: line {line}: not UTF-8 text, at byte {error.start}"
        ) from error
    except RecursionError as error:
        raise ConfigurationError(f"{path}: not a settings file: nested too deeply") from error
    except ValueError as error:  # a TOMLDecodeError, or a number with thousands of digits
        raise ConfigurationError(f"{path}: not TOML: {error}") from error


def validated(
    model: type[M],
    tables: Mapping[str, Any],
    source_of: Callable[[Place], object],
    more: Iterable[Problem] = (),
    secrets: str | None = None,
) -> M:
    """Validate the tables of a file.

    Raises ConfigurationError with all errors, each as `source: key: what`, including those of
    `more` that are about other places. `secrets` is the message for a key that looks like a secret.
    Values that may be secrets are never repeated.
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
    """Return the keys whose values differ, in the order of the model."""
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
        return place, "must not be empty; leave it out for the default"
    text = _IN_WORDS.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "string_pattern_mismatch":
        text = PATTERNS.get(detail["ctx"]["pattern"], text)
    return place, text + _got(place, detail["input"], text)


def _got(place: Place, value: object, text: str) -> str:
    """Quote the value, unless the text has it already."""
    if any(word in str(part).lower() for part in place for word in _NEVER_SHOWN):
        return ""
    if isinstance(value, str):
        before_host = value.rpartition("@")[0]  # of a URL, also of one that lacks its scheme
        has_password = ":" in before_host or "password" in value.lower()
        is_told = repr(value) in text
        return "" if is_told or has_password else f" (it is {value[:60]!r})"
    if isinstance(value, int | float):
        is_long = isinstance(value, int) and value.bit_length() > LONGEST_SHOWN_BITS
        return "" if is_long else f" (it is {value})"
    return ""


def keys_at(model: type[BaseModel], place: Place) -> list[str]:
    """Return the keys that the table at `place` may have, of every kind that it may be."""
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
    """Return the tables, lists and maps in an annotation such as `Table | None`."""
    if is_model(annotation) or get_origin(annotation) in {list, dict}:
        return [annotation]
    return [part for each in get_args(annotation) for part in parts_in(each)]


def is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _flat(value: object, place: Place = ()) -> dict[str, object]:
    """Flatten tables and lists of tables, down to values."""
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        parts = list(enumerate(value))
    else:
        return {spell(place).removesuffix(": "): value}
    return {key: each for name, part in parts for key, each in _flat(part, (*place, name)).items()}


# Settings from the environment or the command line.
#
# A variable is PREFIX_KEY, or PREFIX_TABLE__KEY for a key inside a table, in capitals or not; lists
# and whole tables are JSON.

INSIDE: Final = "__"

Said = dict[Place, tuple[str, object]]
"""The source of each value, and the value."""


def said_by_environment(model: type[BaseModel], prefix: str, environ: Mapping[str, str]) -> Said:
    """Return the values of the model's keys in environment variables."""
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
    """Return a file's tables, overridden by the values from outside of the file."""
    whole = dict(tables)
    for (key, *inner), (_, value) in said.items():
        table = whole.get(str(key))
        inside = table if isinstance(table, dict) else {}
        whole[str(key)] = {**inside, inner[0]: value} if inner else value
    return whole


def who_said(place: Place, said: Said) -> str | None:
    """Return the source of a value from outside of the file, or None."""
    by = said.get(place[:2]) or said.get(place[:1])
    return None if by is None else by[0]


def _json(text: str) -> object:
    """Parse JSON. Return any other text as it is, so that the model reports the error."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
