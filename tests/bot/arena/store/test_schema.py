"""Tables of other versions: refused, or brought up to date with a copy kept."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot import wire
from bot.arena.players import player_tables, sessions
from bot.arena.players.accounts import Accounts, hashed, issue_token
from bot.arena.server import running_arena
from bot.arena.store import schema, sqlite_database
from bot.arena.store.connection import Connection
from bot.arena.store.data_folder import sole_user
from bot.arena.store.opening import open_database
from bot.arena.store.schema import VERSION
from bot.arena.store.sqlite_database import FILE_NAME
from bot.arena.store.tables import SQLITE, Dialect, Tables, all_columns, all_tables
from bot.errors import HostError
from bot.time_source import SystemTime
from tests.bot.arena.table import settings

THEN, LATER = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"
COPY = f"arena-schema-{VERSION}.db"


async def folder_of_today(folder: Path) -> Path:
    async with open_database(folder) as database:
        await Accounts(database, SystemTime()).create_token("robot")
    return folder


def next_version(
    monkeypatch: pytest.MonkeyPatch, step: Callable[[Connection, Dialect], None]
) -> None:
    """Let the program be of a version whose tables differ from today's by this step."""
    monkeypatch.setattr(schema, "VERSION", VERSION + 1)
    sets = list(all_tables())
    sets[0] = replace(sets[0], steps={VERSION + 1: step})
    monkeypatch.setattr(schema, "all_tables", lambda: sets)


def add_column(connection: Connection, _dialect: Dialect) -> None:
    connection.execute("ALTER TABLE accounts ADD COLUMN motto TEXT")


@pytest.mark.parametrize("version", range(1, schema.OLDEST))
async def test_a_file_from_before_the_first_release_is_refused_with_what_to_do(
    tmp_path: Path, version: int
) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        database.execute("CREATE TABLE games (id TEXT)")
        database.execute(f"PRAGMA user_version = {version}")
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(HostError, match=rf"\(schema {version}, .*move the file away"):
        async with running_arena(settings(tmp_path)):
            pass
    assert version_of(tmp_path / FILE_NAME) == version
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        tables = database.execute("SELECT sql FROM sqlite_master").fetchall()
    assert tables == [("CREATE TABLE games (id TEXT)",)]
    assert len(before) == (tmp_path / FILE_NAME).stat().st_size


def test_every_version_since_the_oldest_has_a_step() -> None:
    steps = {version for each in all_tables() for version in each.steps}
    assert steps == set(range(schema.OLDEST + 1, VERSION + 1))


async def test_a_set_of_tables_that_comes_later_is_made_and_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await folder_of_today(tmp_path)
    filled: list[str] = []
    late = Tables(
        "friends",
        "CREATE TABLE friends (account TEXT PRIMARY KEY REFERENCES accounts (id));",
        fill=lambda _connection: filled.append("friends"),
    )
    sets = [*all_tables(), late]
    monkeypatch.setattr(schema, "all_tables", lambda: sets)
    for module in (schema, sqlite_database):
        monkeypatch.setattr(module, "all_columns", lambda: {**all_columns(), **late.columns})
    for _ in range(2):
        async with open_database(folder) as database:
            rows = await database.read(lambda c: c.execute("SELECT * FROM friends").fetchall())
        assert rows == []
    assert filled == ["friends"]


async def test_tables_are_brought_up_to_date_and_the_file_as_it_was_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await folder_of_today(tmp_path)
    next_version(monkeypatch, add_column)
    for _ in range(2):  # at the second opening nothing more happens
        async with open_database(folder) as database:
            [row] = await database.read(lambda c: c.execute("SELECT * FROM accounts").fetchall())
        assert (row["name"], row["motto"]) == ("robot", None)
        assert version_of(folder / FILE_NAME) == VERSION + 1
    with closing(sqlite3.connect(folder / COPY)) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert copy.execute("SELECT name FROM accounts").fetchall() == [("robot",)]
    assert copies_in(folder) == [folder / COPY]


async def test_a_token_does_not_change_the_tables_beneath_a_running_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await folder_of_today(tmp_path)
    next_version(monkeypatch, add_column)
    with sole_user(tmp_path), pytest.raises(HostError, match="stop the arena first"):
        await issue_token(tmp_path, "robot")
    assert (version_of(tmp_path / FILE_NAME), copies_in(tmp_path)) == (VERSION, [])
    await issue_token(tmp_path, "robot")  # no arena is running now
    assert version_of(tmp_path / FILE_NAME) == VERSION + 1
    with sole_user(tmp_path):
        await issue_token(tmp_path, "robot")  # an arena of this version is not disturbed


async def test_a_copy_that_is_there_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = await folder_of_today(tmp_path)
    next_version(monkeypatch, add_column)
    (folder / COPY).write_text("the copy of another day")
    async with open_database(folder):
        pass
    assert (folder / COPY).read_text() == "the copy of another day"


async def test_a_change_that_fails_leaves_no_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Connection, dialect: Dialect) -> None:
        add_column(connection, dialect)
        connection.execute("DROP TABLE no_such_table")

    folder = await folder_of_today(tmp_path)
    next_version(monkeypatch, fail)
    with pytest.raises(HostError, match="no_such_table"):
        async with open_database(folder):
            pass
    assert copies_in(folder) == []
    assert version_of(folder / FILE_NAME) == VERSION
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(accounts)")]
    assert "motto" not in columns


def copies_in(folder: Path) -> list[Path]:
    return [*folder.glob("arena-schema*")]


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        version: int = database.execute("PRAGMA user_version").fetchone()[0]
        return version


async def test_the_key_of_a_person_becomes_their_first_session(
    tmp_path: Path,
) -> None:
    async with open_database(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database, database:
        database.execute("DROP TABLE sessions")
        for account, name, secret in (("a1", "Anna", hashed("key")), ("a2", "Ben", None)):
            database.execute(
                "INSERT INTO accounts (id, name, skeleton, kind, secret_hash, created_at, seen_at)"
                " VALUES (?, ?, ?, 'person', ?, ?, ?)",
                (account, name, name.lower(), secret, THEN, LATER),
            )
        database.execute("ALTER TABLE accounts DROP COLUMN registered_at")
        player_tables.TABLES.steps[7](database, SQLITE)
    async with open_database(tmp_path) as opened:
        accounts = Accounts(opened, SystemTime())
        login = await accounts.log_in(wire.Credentials(v=1, guest_key="key"))
        [session] = await opened.read(lambda c: sessions.valid(c, "a1"))
        assert await opened.read(lambda c: sessions.valid(c, "a2")) == []
    assert (login.player.name, login.token, session.label) == ("Anna", session.id, "")
    assert session.created_at.isoformat() == THEN
