"""The names of engines on a command line: built-in engines, those of a file, commands, servers."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bot.engines.dialogues import protocol_of
from bot.engines.spec import fields_of
from bot.errors import ConfigurationError
from bot.runtime.names import look_of
from bot.runtime.settings import did_you_mean, read_toml
from engine.players.installed import known_engines

TomlTable = dict[str, Any]
"""A table of a settings file, such as `[[players]]`."""
WORD: Final = re.compile(r"(?P<name>[\w.\-]+)(:(?P<options>[^/\s]*))?")
LONGEST_NAME: Final = 60


def engines_in(path: Path | None) -> Mapping[str, TomlTable]:
    """The [engines.NAME] tables of a settings file; none without a file.

    Raises ConfigurationError.
    """
    if path is None:
        return {}
    engines = read_toml(path).get("engines", {})
    if not isinstance(engines, dict) or not all(isinstance(t, dict) for t in engines.values()):
        raise ConfigurationError(f"{path}: engines: must have tables such as [engines.mine]")
    return engines


def player_tables(words: Sequence[str], known: Mapping[str, TomlTable]) -> list[TomlTable]:
    """A [[players]] table for each word; the names of the players differ visibly.

    A word is a command line, one of another protocol as `six:COMMAND`, or the name of an engine in
    `known` or of a built-in engine, with options as in `search:Level=3,Threads=1`.

    Raises ConfigurationError.
    """
    tables: list[TomlTable] = []
    for word in words:
        name = _unlike(word[:LONGEST_NAME], [table["name"] for table in tables])
        tables.append({**_table(word, known), "name": name})
    return tables


def _table(word: str, known: Mapping[str, TomlTable]) -> TomlTable:
    match = None if protocol_of(word) else WORD.fullmatch(word)
    name = match["name"] if match else word
    if name in known:
        table = {key: value for key, value in known[name].items() if key != "processes"}
    elif name in known_engines():
        table = {"builtin": name}
    else:
        return _command(word, known)
    options = _options(word, match["options"]) if match and match["options"] else {}
    return {**table, "options": {**table.get("options", {}), **options}}


def _command(word: str, known: Mapping[str, TomlTable]) -> TomlTable:
    try:
        table = fields_of(word)
    except ValueError as error:
        raise ConfigurationError(f"{word!r}: {error}") from error
    command = table.get("command", [])
    if "url" in table:
        return table
    if not command or shutil.which(command[0]) is None:
        names = [*known_engines(), *known]
        raise ConfigurationError(
            f"{word!r} is not an engine{did_you_mean(word, names)} (known: {', '.join(names)}), "
            "and not a command that can be run"
        )
    return table


def _options(word: str, text: str) -> dict[str, str]:
    pairs = [each.partition("=") for each in text.split(",")]
    for name, equals, _ in pairs:
        if not (name and equals):
            raise ConfigurationError(f"{word!r}: write options as NAME:OPTION=VALUE,OPTION=VALUE")
    return {name: value for name, _, value in pairs}


def _unlike(name: str, others: Sequence[str]) -> str:
    """The name, with a number if it looks like another name."""
    number, candidate, looks = 1, name, {look_of(other) for other in others}
    while look_of(candidate) in looks:
        number += 1
        candidate = f"{name[: LONGEST_NAME - 6]} ({number})"
    return candidate
