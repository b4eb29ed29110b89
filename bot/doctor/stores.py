"""Checks of what is on disk: permissions, databases, records, unfinished games, backups.

A database is read without a lock and without a file beside it if no program uses it, and as another
reader otherwise. Nothing is written, no log is copied back, and no file is created.
"""

import os
import sqlite3
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import orjson

from bot.arena.games.archive import FILE_NAME as RECORDS
from bot.arena.games.game_rows import DamagedGame
from bot.arena.games.game_store import running_games
from bot.arena.settings import ArenaSettings
from bot.arena.store import schema
from bot.arena.store.connection import Connection
from bot.arena.store.database import as_text
from bot.arena.store.servers import driver_of
from bot.arena.store.sqlite_database import FILE_NAME, columns_in
from bot.arena.store.tables import all_tables
from bot.daemon.journal import JOURNAL, TurnJournal, read_open_work
from bot.daemon.settings import Settings
from bot.daemon.settings_file import is_absent_credential, settings_warnings
from bot.doctor.examination import Case, DoctorFinding, fail, ok, warn
from bot.doctor.machine import existing, holders
from bot.errors import ConfigurationError, HostError
from bot.runtime.backup import backups_in, verify
from bot.runtime.database import version_of
from bot.runtime.files import OTHERS

PRIVATE: Final = (".db", ".db-wal", ".db-shm", ".jsonl")
MOST_FILES: Final = 10_000
SHOWN: Final = 3
SHARE: Final = 0.8
"""The share of a check's time after which SQLite is interrupted, so that the check can say so."""
STEPS: Final = 10_000
"""Instructions of SQLite between two looks at the clock."""
LATE: Final = timedelta(minutes=1)
"""A record is appended this long after the end of its game, unless the disk is full."""
OLD: Final = timedelta(hours=36)
VERY_OLD: Final = timedelta(days=7)
RESTORE: Final = "stop the program, and `bluestone restore` a backup; see docs/running-an-arena.md"
MAKE_BACKUP: Final = "run `bluestone backup`, and enable bluestone-backup.timer"
MAKE_DUMP: Final = "run pg_dump; see docs/running-an-arena.md, PostgreSQL"
DUMP: Final = "make a backup with pg_dump first"
LONGER: Final = "allow more time with --seconds"


# ---- permissions -----------------------------------------------------------------------------


def permissions(case: Case) -> Iterator[DoctorFinding]:
    running = holders(case)
    for what, folder in case.data_folders:
        process = running.get(what)
        user = None if process is None else process.user
        yield from _folder(folder, user)
    yield from _token_files(case.bot)


def _token_files(bot: Settings | None) -> Iterator[DoctorFinding]:
    if bot is None:
        return
    known = {warning.partition(": ")[0] for warning in settings_warnings(bot)}
    for index, table in enumerate(bot.platforms):
        if (file := table.token_file) is None:
            continue
        key = f"platforms[{index}].token_file"
        if is_absent_credential(file):
            yield ok(f"{key}: systemd makes it while the unit runs")
            continue
        mode = stat.S_IMODE(file.stat().st_mode)
        command = f"run `chmod 600 {file}`"
        if key in known:
            text = f"{key}: every user of this machine can read {file}"
            yield fail(text, f"{command}, and make a new token, because this one may be known")
        elif mode & OTHERS:
            yield warn(f"{key}: the file mode of {file} is {mode:o}", command)
        else:
            yield ok(f"{key}: only its owner can read {file}")


def _folder(folder: Path, user: int | None) -> Iterator[DoctorFinding]:
    place = existing(folder)
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        yield fail(f"{folder}: the file system is read-only", "remount it, and look at `dmesg`")
        return
    if not place.is_dir():
        yield fail(f"{folder}: {place} is not a folder", "choose another data folder")
        return
    if user is None:  # no program runs: root may examine what another user uses
        user = place.stat().st_uid if os.geteuid() == 0 and place == folder else os.geteuid()
    if not _may_write(place, user):
        advice = f"run `chown -R USER {folder}` for the program's user, or name another folder"
        yield fail(f"{place}: user {user} cannot write here", advice)
        return
    if place != folder:
        yield ok(f"{folder}: does not exist yet; the first start creates it")
        return
    yield from _files(folder, user)


def _may_write(folder: Path, user: int) -> bool:
    if user == os.geteuid():
        return os.access(folder, os.W_OK | os.X_OK)
    found = folder.stat()
    needed = 0o300 if found.st_uid == user else 0o003
    return user == 0 or found.st_mode & needed == needed


def _files(folder: Path, user: int) -> Iterator[DoctorFinding]:
    files = [path for _, path in zip(range(MOST_FILES), folder.rglob("*"), strict=False)]
    kept = [(path, path.stat()) for path in files if path.is_file()]
    secret = [(path, found) for path, found in kept if path.name.endswith(PRIVATE)]
    open_to_all = [path for path, found in secret if found.st_mode & OTHERS]
    foreign = [path for path, found in secret if found.st_uid != user] if user else []
    if open_to_all:
        some = _some(open_to_all)
        yield fail(f"{folder}: other users can read {some}", f"run `chmod -R go= {folder}`")
    if foreign:
        text = f"{folder}: user {user} does not own {_some(foreign)}"
        yield fail(text, f"run `chown -R {user} {folder}`")
    if not open_to_all and not foreign:
        yield ok(f"{folder}: writable for user {user}, private")


def _some(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(path.name for path in paths[:SHOWN]) + more


# ---- databases -------------------------------------------------------------------------------


class _Unreadable(Exception):
    """The database cannot be read without changing it."""


@contextmanager
def _opened(path: Path, until: float) -> Iterator[sqlite3.Connection]:
    """Open a database to read. A statement that runs at `until` is interrupted.

    Raises sqlite3.Error, or _Unreadable.
    """
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    address = f"{path.absolute().as_uri()}?mode=ro"
    if not log.exists():
        address += "&immutable=1"
    elif not index.exists():
        raise _Unreadable
    with closing(sqlite3.connect(address, uri=True)) as database:
        database.row_factory = sqlite3.Row
        database.set_progress_handler(lambda: int(time.monotonic() > until), STEPS)
        yield database


def _integrity(path: Path, case: Case) -> Iterator[DoctorFinding]:
    """Yield a finding for a damaged database, or for one that is not checked in time."""
    try:
        with _opened(path, time.monotonic() + case.seconds * SHARE) as database:
            said = [row[0] for row in database.execute("PRAGMA quick_check(5)")]
            strays = database.execute("PRAGMA foreign_key_check").fetchmany(SHOWN)
    except _Unreadable:
        yield warn(f"{path}: its log cannot be read without changing it", "start its program once")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            yield warn(f"{path}: not checked to its end", LONGER)
        else:
            yield fail(f"{path}: cannot be read: {error}", "run this command as root")
    except sqlite3.DatabaseError as error:
        yield fail(f"{path}: damaged: {error}", RESTORE)
    else:
        if said != ["ok"]:
            yield fail(f"{path}: damaged: {said[0]}", RESTORE)
        if strays:
            yield fail(f"{path}: rows of {strays[0][0]} belong to rows that are missing", RESTORE)


def database(case: Case) -> Iterator[DoctorFinding]:
    if case.arena is None:
        return
    if case.arena.database:
        yield from _server(case.arena)
        return
    path = case.arena.data.absolute() / FILE_NAME
    if not path.exists():
        yield ok(f"{path}: does not exist yet")
        return
    problems = list(_integrity(path, case)) or list(_schema(path))
    yield from problems or [ok(f"{path}: sound, schema {schema.VERSION}")]


def _server(arena: ArenaSettings) -> Iterator[DoctorFinding]:
    """Check that the PostgreSQL server can be used, and that it has the tables of this version."""
    try:
        driver = driver_of(arena.database)
        version, missing = driver.examined()
        schema.check_version(version, driver.name, "database")
    except (HostError, ConfigurationError) as error:
        yield fail(str(error), "correct `database`, or start the server; see docs/operating.md")
        return
    if version == 0:
        yield ok(f"{driver.name}: reachable, and has no tables yet")
    elif version < schema.VERSION:
        yield warn(f"{driver.name}: schema {version}; the next start updates it", DUMP)
    elif missing:
        yield fail(f"{driver.name}: {', '.join(missing)} is missing", "restore a backup")
    else:
        yield ok(f"{driver.name}: reachable, schema {schema.VERSION}")
    if (unused := arena.data.absolute() / FILE_NAME).exists():
        yield warn(f"{unused}: not used, because `database` names another one", "move it away")


@contextmanager
def arena_opened(arena: ArenaSettings, until: float) -> Iterator[Connection | None]:
    """The arena's database, to read one moment of it; None before an arena has made it.

    Raises an error of `CANNOT_READ`.
    """
    if arena.database:
        driver = driver_of(arena.database)
        with driver.one_moment(until - time.monotonic()) as session:
            yield session if driver.has_tables() else None
        return
    path = arena.data.absolute() / FILE_NAME
    if not path.exists():
        yield None
        return
    with _opened(path, until) as connection:
        connection.execute("BEGIN")  # one moment of a database that changes
        yield connection


CANNOT_READ: Final = (sqlite3.Error, _Unreadable, HostError, ConfigurationError)


def _schema(path: Path) -> Iterator[DoctorFinding]:
    with _opened(path, time.monotonic() + 5) as connection:
        version, missing = version_of(connection), schema.missing(columns_in(connection))
    try:
        schema.check_version(version, str(path))
    except HostError as error:
        found, _, advice = str(error).partition("; ")
        yield fail(found, advice)
        return
    if 0 < version < schema.VERSION:
        yield warn(f"{path}: schema {version}; the next start updates it", "make a backup first")
    elif version and missing:
        yield fail(f"{path}: damaged, {', '.join(missing)} is missing", RESTORE)


def journal(case: Case) -> Iterator[DoctorFinding]:
    if case.place is None:
        return
    folder = case.place.daemon.data.absolute()
    path = folder / JOURNAL
    if not path.exists():
        yield ok(f"{path}: does not exist yet")
    for each in sorted(folder.rglob("*.db")):
        problems = list(_integrity(each, case))
        if each == path and not problems:
            problems = list(_open_work(path))
        yield from problems or [ok(f"{each}: sound")]


def _open_work(path: Path) -> Iterator[DoctorFinding]:
    with _opened(path, time.monotonic() + 5) as connection:
        version = version_of(connection)
    if version > TurnJournal.VERSION:
        text = f"{path}: made by a newer version of Bluestone (tables {version}, this version"
        yield fail(f"{text} knows {TurnJournal.VERSION})", "update Bluestone")
    elif any(step not in TurnJournal.MIGRATIONS for step in range(version, TurnJournal.VERSION)):
        text = f"{path}: made by an older version of Bluestone (tables {version}, this version"
        advice = "let its games end with that version, or move the file away"
        yield fail(f"{text} needs {TurnJournal.VERSION})", advice)
    elif version == TurnJournal.VERSION:
        given_up = [work for work in read_open_work(path) if work.state == "given_up"]
        if given_up:
            games = ", ".join(sorted({work.game for work in given_up})[:SHOWN])
            advice = "play or resign these games on the platform's site; see `bluestone status`"
            yield warn(f"{path}: {len(given_up)} turns need a person, in {games}", advice)


# ---- games and records -----------------------------------------------------------------------


def games(case: Case) -> Iterator[DoctorFinding]:
    """Check whether unfinished games, and all tournaments, can be restored."""
    if case.arena is None:
        return
    until = time.monotonic() + case.seconds * SHARE
    try:
        with arena_opened(case.arena, until) as connection:
            if connection is None:
                yield ok("no games yet")
                return
            played = running_games(connection)
            others = {
                what: read(connection)
                for tables in all_tables()
                for what, read in tables.restorable.items()
            }
    except CANNOT_READ:
        yield warn("not read; see the check database", "run `bluestone doctor` again after that")
        return
    if time.monotonic() > until:
        yield warn("not all games could be read in time", LONGER)
        return
    damaged = [game for game in played if isinstance(game, DamagedGame)]
    broken = [
        (what, key, why) for what, found in others.items() for key, why in found.damaged.items()
    ]
    for game in damaged:
        yield fail(f"the running game {game.game_id} cannot be restored: {game.why}", RESTORE)
    for what, key, why in broken:
        yield fail(f"the {what} {key} cannot be restored: {why.splitlines()[0]}", RESTORE)
    if not damaged and not broken:
        counts = [f"{len(played)} running games"]
        counts += [f"{found.total} {what}s" for what, found in others.items()]
        yield ok(f"{' and '.join(counts)} can be restored")


def records(case: Case) -> Iterator[DoctorFinding]:
    expected = _recorded_games(case)  # before the file is read, which may only have more
    is_cluster = case.arena is not None and bool(case.arena.cluster.link)
    for what, folder in case.data_folders:
        if what == "arena" and is_cluster:
            yield ok("the records of an arena of several processes are in the database")
            continue
        path = folder / RECORDS
        present, damaged = _ids_in(path) if path.exists() else (set[str](), [])
        if damaged:
            lines = ", ".join(map(str, damaged[:SHOWN]))
            advice = "move the file away and restart the arena, which writes it again"
            if what == "bot":
                advice = "remove these lines, or keep the file as it is: only they are lost"
            yield warn(f"{path}: {len(damaged)} damaged lines: {lines}", advice)
        missing = expected - present if what == "arena" else set()
        if missing:
            text = f"{path}: {len(missing)} finished games of the database are missing"
            yield warn(text, "restart the arena, which adds them")
        if not damaged and not missing:
            yield ok(f"{path}: {len(present)} records")


def _recorded_games(case: Case) -> set[str]:
    """Return the ids of games that ended some time ago; none if the database cannot be read."""
    if case.arena is None:
        return set()
    statement = "SELECT id FROM games WHERE record IS NOT NULL AND ended_at < ?"
    try:
        with arena_opened(case.arena, time.monotonic() + case.seconds * SHARE / 2) as connection:
            if connection is None:
                return set()
            rows = connection.execute(statement, (as_text(datetime.now(UTC) - LATE),)).fetchall()
    except CANNOT_READ:
        return set()  # the check `database` says why
    return {row["id"] for row in rows}


def _ids_in(path: Path) -> tuple[set[str], list[int]]:
    """Return the ids of a file of records, and the numbers of its damaged lines."""
    found: set[str] = set()
    damaged: list[int] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                found.add(orjson.loads(line)["id"])
            except (ValueError, KeyError, TypeError):
                if line.endswith(b"\n"):  # otherwise it is being written, or was cut off by a crash
                    damaged.append(number)
    return found, damaged


# ---- backups ---------------------------------------------------------------------------------


def backups(case: Case) -> Iterator[DoctorFinding]:
    if case.arena is not None and case.arena.database:
        yield _dump(case.backups)
        return
    if case.backups is None:
        if any(folder.exists() for _, folder in case.data_folders):
            yield warn("no folder of backups was named", f"name it with --backups; {MAKE_BACKUP}")
        return
    newest = next(iter(backups_in(case.backups)), None)
    if newest is None:
        yield fail(f"{case.backups}: there is no backup", MAKE_BACKUP)
        return
    try:
        made_at = verify(newest).created_at
    except HostError as error:
        yield fail(str(error), f"{MAKE_BACKUP}; keep the older backups until it succeeds")
        return
    yield _aged(f"{newest}: complete and undamaged", made_at, MAKE_BACKUP)


def _dump(folder: Path | None) -> DoctorFinding:
    """Examine the age of the newest file that pg_dump has made."""
    if folder is None:
        return ok("pg_dump makes the backups of PostgreSQL; name their folder with --backups")
    found = [path.stat() for path in folder.glob("*") if path.is_file()]
    newest = max(
        (each for each in found if each.st_size), key=lambda each: each.st_mtime, default=None
    )
    if newest is None:
        return fail(f"{folder}: there is no file of pg_dump", MAKE_DUMP)
    made_at = datetime.fromtimestamp(newest.st_mtime, UTC)
    return _aged(f"{folder}: the newest file of pg_dump, not read", made_at, MAKE_DUMP)


def _aged(what: str, made_at: datetime, advice: str) -> DoctorFinding:
    age = datetime.now(UTC) - made_at
    text = f"{what}, {_age(age)} old"
    if age > VERY_OLD:
        return fail(text, advice)
    return warn(text, advice) if age > OLD else ok(text)


def _age(age: timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    if hours < 2:
        return f"{int(age.total_seconds() // 60)} minutes"
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"
