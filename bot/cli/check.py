"""`bluestone check`: configuration files, every error at once, nothing started."""

import sys
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from pydantic import BaseModel

from bot.cli.output import print_json
from bot.cli.records import Json
from bot.errors import ConfigurationError

Kind = Literal["bot", "arena", "tournament"]


def check(
    file: Annotated[
        Path, Parameter(name="FILE", help="a TOML file, of a bot, an arena or a tournament")
    ],
    /,
    *more: Annotated[Path, Parameter(name="FILE")],
    kind: Annotated[
        Kind | None, Parameter(help="what the files are; told by their keys without it")
    ] = None,
    as_json: Json = False,
) -> int:
    """Check configuration files without starting anything; exit code 78 if one is wrong."""
    problems = {str(path): _problems(path, kind) for path in (file, *more)}
    for sound in [path for path in (file, *more) if not problems[str(path)]]:
        for warning in _warnings(sound, kind):
            print(f"{sound}: warning: {warning}", file=sys.stderr)
    if as_json:
        print_json(problems)
    else:
        for path, found in problems.items():
            print("\n".join(found) if found else f"{path}: no errors")
    return ConfigurationError.exit_code if any(problems.values()) else 0


def _problems(path: Path, kind: Kind | None) -> list[str]:
    if (kind or _kind_of(path)) == "bot":
        from bot.daemon.settings_file import check_settings

        return check_settings(path)
    if (kind or _kind_of(path)) == "tournament":
        from bot.matches.settings import check_settings as check_tournament

        return check_tournament(path)
    from bot.arena.settings import load_settings

    try:
        load_settings(path)
    except ConfigurationError as error:
        return error.problems
    return []


def _warnings(path: Path, kind: Kind | None) -> list[str]:
    """Of a file without errors."""
    if (kind or _kind_of(path)) != "bot":
        return []
    from bot.daemon.settings_file import load_settings, settings_warnings

    return settings_warnings(load_settings(path))


def _kind_of(path: Path) -> Kind:
    """Whose keys a file has most of; what has none of any is read as a bot's."""
    from bot.arena.settings import ArenaSettings
    from bot.daemon.settings import Settings
    from bot.matches.settings import LocalSettings

    try:
        keys = tomllib.loads(path.read_text(encoding="utf-8")).keys()
    except (OSError, ValueError):
        return "bot"
    models: dict[Kind, type[BaseModel]] = {
        "bot": Settings,
        "arena": ArenaSettings,
        "tournament": LocalSettings,
    }
    return max(models, key=lambda kind: len(keys & models[kind].model_fields.keys()))
