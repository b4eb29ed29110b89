"""`bluestone check`: report all errors of configuration files, and start nothing."""

import asyncio
import os
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter
from pydantic import BaseModel

from bot.errors import ConfigurationError
from bot.runtime.output import Json, only_errors_logged, print_json

Kind = Literal["bot", "arena", "tournament"]
_MARKS: Final = {"ok": "ok  ", "failed": "FAIL", "not tried": "?   "}


def check(
    file: Annotated[
        Path, Parameter(name="FILE", help="a TOML file of a bot, an arena or a tournament")
    ],
    /,
    *more: Annotated[Path, Parameter(name="FILE")],
    kind: Annotated[
        Kind | None, Parameter(help="the kind of the files; by default recognized by their keys")
    ] = None,
    online: Annotated[
        bool,
        Parameter(negative="", help="also try the tokens, keys and addresses in a bot's files"),
    ] = False,
    as_json: Json = False,
) -> int:
    """Check configuration files without starting anything.

    The exit code is 78 if a file has errors. With `--online` the servers are contacted, and the
    exit code is 1 if one of these checks fails. A question mark marks a check that could not be
    made; it does not change the exit code.
    """
    problems = {str(path): _problems(path, kind) for path in (file, *more)}
    for sound in [path for path in (file, *more) if not problems[str(path)]]:
        for warning in _warnings(sound, kind):
            print(f"{sound}: warning: {warning}", file=sys.stderr)
    only_errors_logged()
    found = {
        str(path): asyncio.run(_checked_online(path))
        for path in (file, *more)
        if online and not problems[str(path)] and (kind or _kind_of(path)) == "bot"
    }
    if as_json:
        print_json({"problems": problems, "online": found} if online else problems)
    else:
        for path, lines in problems.items():
            print("\n".join(lines) if lines else f"{path}: no errors")
        for path, tries in found.items():
            print("\n".join(f"{path}: {_line(each)}" for each in tries))
    if any(problems.values()):
        return ConfigurationError.exit_code
    return 0 if all(each["state"] != "failed" for tries in found.values() for each in tries) else 1


def _line(result: dict[str, object]) -> str:
    mark = _MARKS[str(result["state"])]
    return f"{mark} {result['platform']}: {result['step']}: {result['message']}"


async def _checked_online(path: Path) -> list[dict[str, object]]:
    from bot.daemon.settings_file import load_settings
    from bot.time_source import SystemTime

    settings = load_settings(path)
    return [
        {"platform": table.name, **asdict(result)}
        for table in settings.platforms
        async for result in table.check_online(settings.context(table, os.environ, SystemTime()))
    ]


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
    """Return the warnings about a file without errors."""
    match kind or _kind_of(path):
        case "bot":
            from bot.daemon.settings_file import load_settings, settings_warnings

            return settings_warnings(load_settings(path))
        case "tournament":
            from bot.matches.settings import load_settings as load_tournament
            from bot.matches.settings import settings_warnings as tournament_warnings

            return tournament_warnings(load_tournament(path))
        case "arena":
            return []


def _kind_of(path: Path) -> Kind:
    """Return the kind with most of the file's keys. A file without known keys counts as a bot's."""
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
