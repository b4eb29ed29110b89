"""Read the bot's settings from a TOML file, and tell everything that is wrong with it at once."""

import difflib
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeGuard, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

import engine
from bot.errors import ConfigurationError
from bot.logs import SECRET_WORDS
from bot.settings_model import (
    PATTERNS,
    VARIABLE_NAME,
    ArenaSettings,
    DaemonSettings,
    DrawSettings,
    EngineTable,
    HealthSettings,
    LoggingSettings,
    PolicySettings,
    ResignSettings,
    SeekSettings,
    Settings,
    read_secret,
)

__all__ = [
    "ArenaSettings",
    "DaemonSettings",
    "DrawSettings",
    "EngineTable",
    "HealthSettings",
    "LoggingSettings",
    "PolicySettings",
    "ResignSettings",
    "SeekSettings",
    "Settings",
    "check_settings",
    "load_settings",
]

_NOT_HERE = (
    "a secret does not belong in this file, which is copied, shown and committed: put it into an "
    "environment variable and name that in token_env, or into a file and name that in token_file"
)

BUILTIN: Final = "search"

Place = tuple[str | int, ...]
Problem = tuple[Place, str]


def load_settings(path: Path, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings in the file. Raises ConfigurationError with every problem that it has."""
    raw = _read_toml(path)
    settings, problems = _validate(raw)
    problems += _cross_checks(raw, environ)
    if settings is None or problems:
        raise ConfigurationError([f"{path}: {_spell(place)}{text}" for place, text in problems])
    return settings


def check_settings(path: Path, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Everything that is wrong with the file, each as `file: key: what`; starts nothing."""
    try:
        load_settings(path, environ)
    except ConfigurationError as error:
        return error.problems
    return []


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: not TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 text, at byte {error.start}") from error
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error


# ---- one value at a time -------------------------------------------------------------------


def _validate(raw: dict[str, Any]) -> tuple[Settings | None, list[Problem]]:
    try:
        return Settings.model_validate(_with_names(raw)), []
    except ValidationError as error:
        return None, [_problem(detail) for detail in error.errors(include_url=False)]


def _with_names(raw: dict[str, Any]) -> dict[str, Any]:
    """An engine is called what its table is called; the built-in one is always there."""
    engines = raw.get("engines", {})
    if not isinstance(engines, dict):
        return raw
    engines = {BUILTIN: {"builtin": BUILTIN}, **engines}
    named = {
        key: {"name": key, **table} if isinstance(table, dict) else table
        for key, table in engines.items()
    }
    return {**raw, "engines": named}


def _problem(detail: ErrorDetails) -> Problem:
    place = detail["loc"]
    key = str(place[-1]) if place else ""
    if detail["type"] == "extra_forbidden":
        if any(word in key.lower() for word in SECRET_WORDS):
            return place, _NOT_HERE
        return place, "unknown key" + _did_you_mean(key, _keys_at(place[:-1]))
    text = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "string_pattern_mismatch":
        text = PATTERNS.get(detail["ctx"]["pattern"], text)
    return place, text + _got(key, detail["input"])


def _got(key: str, value: object) -> str:
    shown = isinstance(value, str | int | float | bool)
    if not shown or any(word in key.lower() for word in SECRET_WORDS):
        return ""
    return f" (it is {str(value)[:60]!r})" if isinstance(value, str) else f" (it is {value})"


def _keys_at(place: Place) -> list[str]:
    """The keys that the table at `place` may have."""
    kind: object = Settings
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


def _did_you_mean(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def _spell(place: Place) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return f"{text}: " if text else ""


# ---- what one value has to do with another ---------------------------------------------------
# These read the file's own tables, so that they tell their part even where a value is wrong.


def _cross_checks(raw: dict[str, Any], environ: Mapping[str, str]) -> list[Problem]:
    found = list(_check_games(raw.get("policy"), ("policy",)))
    found += _check_commands(raw.get("engines"))
    platforms = raw.get("platforms", [])
    if platforms == []:
        found.append((("platforms",), "there is none; add a [[platforms]] table with a url"))
    if not isinstance(platforms, list):
        return found
    tables = [(i, table) for i, table in enumerate(platforms) if isinstance(table, dict)]
    for index, table in tables:
        place = ("platforms", index)
        found += _check_engine(table, raw.get("engines"), place)
        found += _check_token(table, environ, place)
        found += _check_games(table.get("policy"), (*place, "policy"))
        found += _check_seek(table.get("seek"), (*place, "seek"))
    found += _check_unlike(tables, lambda t: t.get("name", "arena"), "name", "the name")
    found += _check_unlike(tables, _account, "url", "the account")
    return found


def _check_commands(engines: object) -> Iterator[Problem]:
    for name, table in engines.items() if isinstance(engines, dict) else ():
        command = table.get("command") if isinstance(table, dict) else None
        if isinstance(command, str):
            command = command.split()
        if not isinstance(command, list) or not command or "directory" in table:
            continue
        if isinstance(command[0], str) and shutil.which(command[0]) is None:
            yield ("engines", name, "command"), f"there is no program {command[0]!r} to run"


def _check_engine(table: dict[str, Any], engines: object, place: Place) -> Iterator[Problem]:
    known = [*engines, BUILTIN] if isinstance(engines, dict) else [BUILTIN]
    name = table.get("engine", BUILTIN)
    if isinstance(name, str) and name not in known:
        text = f"there is no [engines.{name}]{_did_you_mean(name, known)}"
        yield (*place, "engine"), text


def _check_token(
    table: dict[str, Any], environ: Mapping[str, str], place: Place
) -> Iterator[Problem]:
    variable, file = table.get("token_env"), table.get("token_file")
    if variable is not None and file is not None:
        yield place, "token_env and token_file are both set; keep one"
        return
    if not (isinstance(variable, str | None) and isinstance(file, str | None)):
        return
    if variable is not None and not re.fullmatch(VARIABLE_NAME, variable):
        return  # perhaps the token itself, which must not be quoted
    try:
        read_secret(variable, Path(file) if file else None, environ)
    except ConfigurationError as error:
        yield place, str(error)


def _check_games(table: object, place: Place) -> Iterator[Problem]:
    names = table.get("games") if isinstance(table, dict) else None
    known = [info.name for info in engine.games()]
    for index, name in enumerate(names if isinstance(names, list) else []):
        if isinstance(name, str) and name not in known:
            yield (*place, "games", index), f"unknown game {name!r}; known: {', '.join(known)}"


def _check_seek(table: object, place: Place) -> Iterator[Problem]:
    if not isinstance(table, dict):
        return
    fields = SeekSettings.model_fields
    names = [table.get(key, fields[key].default) for key in ("game", "board", "rules")]
    if not all(isinstance(name, str) for name in names):
        return
    try:
        engine.game(names[0], board=names[1], rules=names[2])
    except engine.UnknownGame as error:
        yield place, str(error)


def _account(table: dict[str, Any]) -> tuple[str, str, str]:
    source = str(table.get("token_env", "")), str(table.get("token_file", ""))
    return (str(table.get("url", "")).rstrip("/"), *source)


def _check_unlike(
    tables: list[tuple[int, dict[str, Any]]],
    key_of: Callable[[dict[str, Any]], object],
    key: str,
    what: str,
) -> Iterator[Problem]:
    first: dict[object, int] = {}
    for index, table in tables:
        earlier = first.setdefault(key_of(table), index)
        if earlier != index:
            yield ("platforms", index, key), f"{what} of platforms[{earlier}] again"
