"""What is examined, what a check finds, and how all checks run at once, each with a deadline.

A check yields one `DoctorFinding` per subject. It never raises on purpose: an exception is a bug
in the check, which becomes a `FAIL` of that check alone. A check that blocks, such as on a dead
network file system, runs in a daemon thread, so that it can neither delay the others nor the exit.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import structlog
from pydantic import ValidationError

from bot.arena.settings import ArenaSettings
from bot.arena.settings import load_settings as load_arena
from bot.arena.store.data_folder import noted_address
from bot.daemon.journal import JOURNAL
from bot.daemon.settings import DaemonSettings, Settings
from bot.daemon.settings_file import Whereabouts, load_settings, read_whereabouts, settings_warnings
from bot.errors import ConfigurationError
from bot.platforms.settings import DEFAULT_TOKEN_VARIABLE
from bot.runtime.settings import read_toml

Status = Literal["ok", "warn", "FAIL"]
CORRECT: Final = "correct the file; `bluestone check FILE` lists all its errors"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """A line of the report. `advice` says what to do, in the imperative; None if all is well."""

    status: Status
    found: str
    advice: str | None = None


def ok(found: str) -> DoctorFinding:
    return DoctorFinding("ok", found)


def warn(found: str, advice: str) -> DoctorFinding:
    return DoctorFinding("warn", found, advice)


def fail(found: str, advice: str) -> DoctorFinding:
    return DoctorFinding("FAIL", found, advice)


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """A finding of the check with that name."""

    check: str
    finding: DoctorFinding


@dataclass(frozen=True, slots=True)
class Case:
    """What is examined. A part that is None was not named, or its settings cannot be read.

    `place` has the data folder and the health port of a bot, which are known even if other settings
    of the bot are wrong. `settings_found` has the findings from reading the settings. Each check
    may take `seconds`.
    """

    arena: ArenaSettings | None = None
    bot: Settings | None = None
    place: Whereabouts | None = None
    backups: Path | None = None
    public_url: str | None = None
    seconds: float = 30.0
    settings_found: tuple[DoctorFinding, ...] = ()

    @property
    def data_folders(self) -> list[tuple[str, Path]]:
        """The data folders, each with the program that uses it."""
        arena = [] if self.arena is None else [("arena", self.arena.data.absolute())]
        bot = [] if self.place is None else [("bot", self.place.daemon.data.absolute())]
        return arena + bot

    @property
    def servers(self) -> list[str]:
        """The addresses of servers that this installation needs."""
        platforms = [] if self.bot is None else self.bot.platforms
        bots = [table.server_address for table in platforms]
        found = [self.public_url, *bots]
        return list(dict.fromkeys(url for url in found if url is not None))


def examined(
    arena: Path | None = None,
    data: Path | None = None,
    bot: Path | None = None,
    backups: Path | None = None,
    public_url: str | None = None,
    seconds: float = 30.0,
    environ: Mapping[str, str] = os.environ,
) -> Case:
    """Read the settings. Errors in them are findings, so that all other checks still run.

    Without any of the first three, the arena and the bot with default settings are examined.
    """
    found: list[DoctorFinding] = []
    is_bots_folder = data is not None and arena is None and (data / JOURNAL).exists()
    arena_settings = bot_settings = place = None
    if is_bots_folder and data is not None and bot is None:
        place = Whereabouts(daemon=DaemonSettings(data=data))
    if bot is not None:
        bot_settings, place, more = _bot_settings(bot, environ)
        found += more
    if (arena is not None or data is not None or bot is None) and not is_bots_folder:
        try:
            arena_settings = _where_it_listens(load_arena(arena, environ, data=data))
            found.append(ok("defaults of the arena" if arena is None else f"{arena}: no errors"))
        except ConfigurationError as error:
            found += [fail(problem, CORRECT) for problem in error.problems]
    if arena is None and data is None and bot is None:
        place = Whereabouts()
        try:
            bot_settings = Settings()
        except ValidationError as error:  # an installation that lacks the built-in engine
            what = f"defaults of the bot: {error.errors()[0]['msg']}"
            found.append(fail(what, "install Bluestone again"))
    return Case(arena_settings, bot_settings, place, backups, public_url, seconds, tuple(found))


def _where_it_listens(arena: ArenaSettings) -> ArenaSettings:
    """Fill in the host and port that the arena of this data folder noted.

    The settings do not know a port that came from the command line, as `bluestone up` gives it.
    """
    if {"host", "port"} & arena.model_fields_set:
        return arena
    noted = urlsplit(noted_address(arena.data) or "")
    host, port = noted.hostname or "", noted.port
    if port is None:
        return arena
    with suppress(ValueError):
        ip_address(host)
        arena = arena.model_copy(update={"host": host})
    return arena.model_copy(update={"port": port})


def _bot_settings(
    file: Path, environ: Mapping[str, str]
) -> tuple[Settings | None, Whereabouts | None, list[DoctorFinding]]:
    found = []
    try:
        place = read_whereabouts(file)
        absent = [name for name in _token_variables(file) if not environ.get(name, "").strip()]
        # A service has these variables from its unit, so their absence in this shell is no error.
        settings = load_settings(file, {**environ, **dict.fromkeys(absent, "absent")})
    except ConfigurationError as error:
        place = None
        with suppress(ConfigurationError):
            place = read_whereabouts(file)
        return None, place, [fail(problem, CORRECT) for problem in error.problems]
    for name in absent:
        advice = "make sure that the service has it, or use token_file"
        found.append(warn(f"{file}: token_env: {name} is not set in this shell", advice))
    warnings = settings_warnings(settings)
    found += [
        warn(f"{file}: {each}", CORRECT) for each in warnings if not is_about_token_file(each)
    ]
    return settings, place, [*found, ok(f"{file}: no errors")]


def is_about_token_file(warning: str) -> bool:
    """Return whether the check `permissions` reports this warning."""
    return warning.partition(": ")[0].endswith(".token_file")


def _token_variables(file: Path) -> list[str]:
    platforms = read_toml(file).get("platforms", [])
    tables = platforms if isinstance(platforms, list) else []
    names = [
        table.get("token_env", DEFAULT_TOKEN_VARIABLE)
        for table in tables
        if isinstance(table, dict) and "token_file" not in table
    ]
    return [name for name in dict.fromkeys(names) if isinstance(name, str)]


# Checks, and how they run.

Examine = Callable[[Case], Iterator[DoctorFinding] | AsyncIterator[DoctorFinding]]


@dataclass(frozen=True, slots=True)
class Check:
    """A check: a generator that may block, or an asynchronous one that does not."""

    name: str
    examine: Examine


async def examine_all(case: Case, checks: Sequence[Check]) -> list[CheckFinding]:
    """Run all checks at once, and return their results in the order of the checks."""
    found = await asyncio.gather(*(_examine(check, case) for check in checks))
    return [
        CheckFinding(check.name, each)
        for check, some in zip(checks, found, strict=True)
        for each in some
    ]


async def _examine(check: Check, case: Case) -> list[DoctorFinding]:
    found: list[DoctorFinding] = []
    try:
        async with asyncio.timeout(case.seconds):
            examining = check.examine(case)
            if isinstance(examining, Iterator):
                examining = _in_thread(examining)
            async for finding in examining:
                found.append(finding)  # noqa: PERF401 - the deadline must not lose earlier ones
    except TimeoutError:
        advice = "find out what blocks it, or allow more time with --seconds"
        found.append(fail(f"not finished within {case.seconds:g} s", advice))
    except PermissionError as error:
        what = f"{error.filename}: may not be read by this user"
        found.append(fail(what, "run this command as root, or as the user of the program"))
    except Exception as error:
        log.exception("check_failed", check=check.name)
        what = f"the check itself failed: {type(error).__name__}: {error}"
        found.append(fail(what, "report this, with the traceback on standard error"))
    return found


async def _in_thread(examining: Iterator[DoctorFinding]) -> AsyncIterator[DoctorFinding]:
    """Run a generator that may block in a thread that does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    news: asyncio.Queue[DoctorFinding | Exception | None] = asyncio.Queue()

    def tell(item: DoctorFinding | Exception | None) -> None:
        with suppress(RuntimeError):  # the deadline is over, and the loop is closed
            loop.call_soon_threadsafe(news.put_nowait, item)

    def work() -> None:
        try:
            for finding in examining:
                tell(finding)
            tell(None)
        except Exception as error:  # noqa: BLE001 - raised below, in the event loop
            tell(error)

    threading.Thread(target=work, daemon=True).start()
    while (item := await news.get()) is not None:
        if isinstance(item, Exception):
            raise item
        yield item


def as_document(results: Sequence[CheckFinding]) -> list[dict[str, Any]]:
    """Return the results for `--json`."""
    return [
        {
            "check": result.check,
            "status": result.finding.status,
            "found": result.finding.found,
            "advice": result.finding.advice,
        }
        for result in results
    ]
