"""Checks of the programs: Python, dependencies, compiled kernels, engines, running versions."""

import asyncio
import os
import platform
import shutil
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import engine
from bot import __version__
from bot.arena.capability import CAPABILITIES
from bot.arena.games.archive import SOFTWARE
from bot.arena.processes import CLUSTERS
from bot.arena.settings import ArenaSettings
from bot.arena.store.data_folder import LOCK_NAME
from bot.arena.store.servers import SERVERS
from bot.arena.store.sqlite_database import FILE_NAME as ARENA_DATABASE
from bot.arena.store.tables import TABLES
from bot.daemon.inspection import inspect
from bot.daemon.journal import JOURNAL
from bot.daemon.settings import EngineTable
from bot.doctor.examination import Case, DoctorFinding, fail, ok, warn
from bot.doctor.machine import engine_tables, holders
from bot.engines.channel import User
from bot.engines.dialogues import DIALOGUES
from bot.engines.process import EngineProcess
from bot.engines.protections import Held, what_holds
from bot.engines.questions import Budget
from bot.errors import EngineFailure, EngineStartError
from bot.matches.venues import VENUES
from bot.platforms.settings import PLATFORMS
from bot.records.notations import NOTATIONS
from bot.runtime.doors import COMMANDS, Door
from bot.runtime.http_client import NoResponse, fetch, open_session
from bot.runtime.listening import local_address
from bot.time_source import SystemTime, TimeSource
from engine import warming

PACKAGE: Final = "bluestone"
ANSWER_S: Final = 5.0
ANSWER_BYTES: Final = 1 << 20
HARD_MS: Final = 10_000
"""Milliseconds in which a machine under load must answer `go movetime 200`."""
IN_CLONE: Final = (Path(engine.__file__).parents[1] / "Makefile").exists()
INSTALL: Final = "run `make install` in the clone" if IN_CLONE else "install Bluestone again"
HIDDEN: Final = (Path("/home"), Path("/root"))
"""What `ProtectHome=yes` of the units in config/ hides."""
BOT_LOG: Final = "look at its log; see docs/bot.md, Watching"
REFUSED: Final = (
    "after bad_token, put a new token into token_file; see docs/bot.md, Replace a token"
)
WARM: Final = "run `bluestone warm`, as the user of the program and with its BLUESTONE_CACHE_DIR"


def settings(case: Case) -> Iterator[DoctorFinding]:
    yield from case.settings_found


# ---- what is installed -----------------------------------------------------------------------


def python(_: Case) -> Iterator[DoctorFinding]:
    version, needed = platform.python_version(), _needed_python()
    text = f"{platform.python_implementation()} {version} ({sys.executable})"
    real = Path(sys.executable).resolve()
    if needed is None:
        yield warn(f"{text}; the package {PACKAGE} is not installed", INSTALL)
    elif not SpecifierSet(needed).contains(version, prereleases=True):
        yield fail(f"{text}; Bluestone needs {needed}", f"install such a Python, then {INSTALL}")
    elif _private_above(Path(sys.prefix)) is None and (folder := _private_above(real)) is not None:
        yield warn(f"{real}: a service cannot run it, because {folder} is private", other_python())
    else:
        yield ok(f"{text}; Bluestone needs {needed}")


def other_python(is_clone: bool = IN_CLONE) -> str:
    """Return how to install with a Python that services can run."""
    if is_clone:
        return "to run it as a service, run `make clean` and `make install PYTHON=/usr/bin/python3`"
    return "to run it as a service, install Bluestone with `/usr/bin/python3 -m venv` and its pip"


def _private_above(place: Path) -> Path | None:
    """Return the folder above a place that the user of a service cannot enter; None if it can."""
    folders = [each for each in place.absolute().parents if os.access(each, os.F_OK)]
    private = (each for each in folders if each in HIDDEN or not each.stat().st_mode & stat.S_IXOTH)
    return next(private, None)


def _needed_python() -> str | None:
    try:
        return metadata.metadata(PACKAGE)["Requires-Python"]
    except (metadata.PackageNotFoundError, KeyError):
        return None


DOORS: Final[tuple[Door[Any], ...]] = (
    *(COMMANDS, DIALOGUES, NOTATIONS, PLATFORMS, VENUES),
    *(CAPABILITIES, CLUSTERS, SERVERS, TABLES),
)
"""What installed packages may add to Bluestone."""


def dependencies(_: Case) -> Iterator[DoctorFinding]:
    try:
        lines = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        yield warn(f"the package {PACKAGE} is not installed", INSTALL)
        return
    needed = [each for each in map(Requirement, lines) if _is_needed(each)]
    wrong = [problem for each in needed if (problem := _problem(each)) is not None]
    yield from (fail(problem, INSTALL) for problem in wrong)
    for door in DOORS:
        for problem in door.problems().values():
            yield warn(f"{door.group}: {problem}", "install its package again, or remove it")
    if not wrong:
        yield ok(f"bluestone {__version__}; its {len(needed)} dependencies have fitting versions")


def _is_needed(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def _problem(requirement: Requirement) -> str | None:
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return f"{requirement.name} is not installed; {requirement.specifier} is needed"
    if requirement.specifier.contains(version, prereleases=True):
        return None
    return f"{requirement.name} is {version}; {requirement.specifier} is needed"


# ---- kernels and engines ---------------------------------------------------------------------


def kernels(_: Case) -> Iterator[DoctorFinding]:
    if not warming.compiles_here():
        yield ok(
            f"{warming.kernels_in_words()}: {warming.library_folder() or 'nothing to compile'}"
        )
        return
    wanted = warming.cache_folder()
    parts = [part for part in warming.all_parts() if part.kind != "playouts"]
    missing = warming.missing_in(wanted, parts)
    text = f"{wanted}, for the processor {warming.processor().partition(' ')[0]}"
    used_by = wanted.stat().st_uid if os.geteuid() == 0 and wanted.exists() else None
    if danger := warming.cache_danger(used_by):
        advice = "give its folders to the user of the program, and let nobody else write there"
        yield warn(f"{wanted} is not used: {danger}", advice)
    if not _can_write(wanted):
        advice = "make this folder writable, or set BLUESTONE_CACHE_DIR to one that is"
        yield warn(f"{text}: it cannot be written, so compiled code may be lost", advice)
    if missing:
        left = f"not compiled: {len(missing)} of {len(parts)} parts"
        yield warn(f"{text}: {left}; the next start compiles them, for about a minute", WARM)
    else:
        yield ok(f"{text}: all {warming.kernels_in_words()}")


def _can_write(folder: Path) -> bool:
    place = next(each for each in (folder, *folder.parents) if each.exists())
    return os.access(place, os.W_OK | os.X_OK) and not os.statvfs(place).f_flag & os.ST_RDONLY


async def engines(case: Case) -> AsyncIterator[DoctorFinding]:
    """Start one process of each engine, and ask it for one turn."""
    tables = engine_tables(case)
    if not tables:
        yield ok("no bot is examined, so no engine is asked")
    for table in tables:
        yield await _answer_of(table, case, (case.seconds - 1) / len(tables))


async def _answer_of(table: EngineTable, case: Case, seconds: float) -> DoctorFinding:
    """Ask one engine for a turn, within its share of the check's time."""
    is_builtin = table.is_builtin
    if is_builtin and not _is_compiled(_game(case)):
        return warn(f"{table.name}: not asked, because it is not compiled", WARM)
    time = SystemTime()
    start_s = max(0.5, min(table.start_timeout_s, seconds / 2))
    hard_ms = max(500, min(HARD_MS, int(seconds * 250)))
    try:
        async with asyncio.timeout(seconds):  # an engine that compiles may start for longer
            with _readable_cache(table.model_copy(update={"start_timeout_s": start_s})) as asked:
                return await _turn_of(asked, case, hard_ms, time)
    except TimeoutError:
        why = f"no turn within {seconds:.1f} s"
    except EngineStartError as failure:
        why = failure.message
        if f"within {start_s:g} s" in why and start_s < table.start_timeout_s:
            text = f"{table.name}: not started after {start_s:g} s"
            return warn(f"{text}; it may take {table.start_timeout_s:g} s", "use --seconds")
    except EngineFailure as failure:
        why = failure.message
    check = table.builtin if is_builtin else f"'{' '.join(table.argv)}'"
    advice = f"run `bluestone engine-check {check}`, and correct the engine or its command"
    return fail(f"{table.name}: {why}", advice)


def _is_compiled(game: str) -> bool:
    """Whether nothing has to be compiled for the game. Creates nothing."""
    if not warming.compiles_here():
        return True
    return not warming.missing_in(warming.cache_folder(), warming.parts_of(game))


async def _turn_of(table: EngineTable, case: Case, hard_ms: int, time: TimeSource) -> DoctorFinding:
    game, user = _game(case), None if table.is_builtin else _owner(case)
    began = time.monotonic()
    process = await EngineProcess.start(table, time, user)
    try:
        started_s = time.monotonic() - began
        position = await asyncio.to_thread(lambda: engine.game(game).start())
        await process.set_up(position.game)
        reply = await process.think(position, Budget(200, hard_ms, "movetime 200"))
    finally:
        await process.close()
    name = process.settings.name
    return ok(f"{table.name}: {name} started in {started_s:.1f} s and plays {reply.best.turn}")


def _game(case: Case) -> str:
    return "bluestone" if case.bot is None else case.bot.policy.games[0]


def _owner(case: Case) -> User | None:
    """The bot's user, as which root starts another author's engine."""
    folder = None if case.place is None else case.place.daemon.data
    if folder is None or not folder.exists() or os.geteuid() != 0:
        return None
    found = folder.stat()
    return User(found.st_uid, found.st_gid) if found.st_uid else None


@contextmanager
def _readable_cache(table: EngineTable) -> Iterator[EngineTable]:
    """Give root's own engine a copy of the compiled code of the bot's user.

    In their box, root's processes have none of root's rights.
    """
    is_copied = table.is_builtin and os.geteuid() == 0 and warming.compiles_here()
    if not is_copied or (folder := warming.cache_folder()).stat().st_uid == 0:
        yield table
        return
    with TemporaryDirectory(prefix="bluestone-doctor-") as copy:
        shutil.copytree(folder, Path(copy) / folder.name, copy_function=shutil.copyfile)
        box = table.sandbox.model_copy(update={"write": (*table.sandbox.write, Path(copy))})
        env = {**table.env, "BLUESTONE_CACHE_DIR": copy}
        yield table.model_copy(update={"env": env, "sandbox": box})


def sandbox(case: Case) -> Iterator[DoctorFinding]:
    """Try each protection of the engines' box, as the bot does at its start."""
    if case.place is None:
        yield ok("no bot is examined, so the box of the engines is not tried")
        return
    found = what_holds()
    held = Held.of(found)
    missing = [each for each in found if each.name in held.missing]
    if missing:
        names = ", ".join(each.name for each in missing)
        powers = "; ".join(each.meaning for each in missing)
        advice = "run only engines that you trust, or use Linux 6.12 or newer with Landlock"
        yield warn(f"the engines' box lacks {names}: an engine could {powers}", advice)
    else:
        rest = f"; not here: {', '.join(held.unavailable)}" if held.unavailable else ""
        yield ok(f"the engines' box holds: {', '.join(held.holds)}{rest}")
    for table in engine_tables(case):
        if not table.sandbox.enabled:
            advice = "remove `enabled = false`, and allow what it needs by `read` and `write`"
            yield warn(f"{table.name}: runs outside the box", advice)


# ---- what runs -------------------------------------------------------------------------------


async def versions(case: Case) -> AsyncIterator[DoctorFinding]:
    """Compare the versions of the running programs with the installed one."""
    running = holders(case)
    if case.arena is not None:
        address = case.arena.host if case.arena.socket_file else _address(case.arena)
        found = await health_of(case.arena)
        if found is None and "arena" in running:
            text = f"arena: {running['arena']} runs, but /healthz at {address} does not answer"
            yield fail(text, "look at its log; restart it if it does not recover")
        elif found is None:
            made = LOCK_NAME if case.arena.database else ARENA_DATABASE
            yield _none_runs("arena", case.arena.data / made)
        else:
            status, version = found.get("status"), found.get("version")
            if status == "ok" or version is not None:  # while it cannot write, it names no version
                yield _version("arena", version)
            if status != "ok":
                yield fail(f"arena: {status}", "see the checks disk and permissions, and its log")
    if case.place is not None:
        daemon = (await inspect(case.place, SystemTime().wall())).daemon
        if daemon is not None:
            yield _version("bot", daemon.version)
            refusals = {each.why_not_ready for each in daemon.platforms if each.refused}
            for why in daemon.why_not_ready:
                text = f"bot: {why}"
                yield fail(text, REFUSED) if why in refusals else warn(text, BOT_LOG)
        elif "bot" in running:
            yield warn(
                f"bot: {running['bot']} runs, but its health page does not answer",
                "set `port` under [health] and restart the bot, to see its state",
            )
        else:
            yield _none_runs("bot", case.place.daemon.data / JOURNAL)


def _none_runs(program: str, made: Path) -> DoctorFinding:
    text = f"{program}: none runs on this data folder"
    if not os.access(made, os.F_OK):
        return ok(f"{text}, and none ever has")
    return warn(text, "start it; if it ended by itself, the last lines of its log say why")


def _version(program: str, version: object) -> DoctorFinding:
    if version == __version__:
        return ok(f"{program}: runs, version {version}, as installed")
    text = f"{program}: runs version {version or 'unknown'}, but {__version__} is installed"
    return warn(text, "restart it, so that it runs the installed version")


async def health_of(arena: ArenaSettings) -> dict[str, object] | None:
    """Return what the arena on the settings' port or Unix socket says of itself.

    None if no arena answers.
    """
    url = _address(arena) + "/healthz"
    try:
        async with open_session(arena.socket_file) as session:
            answer = await fetch(session, "GET", url, deadline_s=ANSWER_S, limit=ANSWER_BYTES)
        found = orjson.loads(answer.body)
    except (NoResponse, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("server") == SOFTWARE else None


def _address(arena: ArenaSettings) -> str:
    return "http://localhost" if arena.socket_file else local_address(arena.host, arena.port)
