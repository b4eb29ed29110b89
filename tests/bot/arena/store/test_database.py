"""The database file."""

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.arena.players.accounts import Accounts, issue_token
from bot.arena.store import sqlite_database
from bot.arena.store.data_folder import sole_user
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.arena.store.sqlite_database import FILE_NAME
from bot.errors import DataError, HostError
from bot.time_source import SystemTime

PAGE = 4096


async def test_a_file_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(DataError, match="newer version"):
        async with open_database(tmp_path):
            pass


async def test_a_file_that_is_not_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("this is no database, whatever its name says" * 20)
    with pytest.raises(DataError, match=FILE_NAME):
        async with open_database(tmp_path):
            pass


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match="data folder"):
        async with open_database(tmp_path / "file" / "data"):
            pass


async def test_permanent_errors_are_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_database, "OPEN_S", 1000)
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(HostError, match=FILE_NAME):
        async with open_database(tmp_path):
            pass


async def test_several_programs_write_at_once(tmp_path: Path) -> None:
    names = [f"bot{number}" for number in range(8)]
    await asyncio.gather(*(issue_token(tmp_path, name) for name in names))
    async with open_database(tmp_path) as database:
        accounts = Accounts(database, SystemTime())
        assert [(await accounts.find(name)).name for name in names] == names


def damage(path: Path) -> None:
    """Overwrite every second page but the first, which says what kind of file it is."""
    data = bytearray(path.read_bytes())
    for begin in range(PAGE, len(data), 2 * PAGE):
        data[begin : begin + PAGE] = b"\xa5" * PAGE
    path.write_bytes(data)


async def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    async with open_database(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        database.execute("ALTER TABLE games DROP COLUMN revision")
    with pytest.raises(DataError, match=r"games\.revision is missing; restore"):
        async with open_database(tmp_path):
            pass


async def test_damaged_pages_are_reported(tmp_path: Path) -> None:
    async with open_database(tmp_path) as database:
        accounts = Accounts(database, SystemTime())
        for number in range(300):
            await accounts.create_token(f"bot{number}")
    damage(tmp_path / FILE_NAME)
    for use in (Database.read, Database.write):
        with pytest.raises(DataError, match=r"arena\.db: .*(malformed|damaged)"):
            async with open_database(tmp_path) as database:
                await use(database, lambda c: c.execute("SELECT * FROM accounts").fetchall())


def test_a_folder_that_only_others_may_write_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    outcome = subprocess.run(
        [sys.executable, "-c", OPEN_AS_NOBODY, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    tmp_path.chmod(0o755)
    assert "HostError" in outcome.stdout, outcome.stderr
    assert str(tmp_path) in outcome.stdout


OPEN_AS_NOBODY = """
import asyncio, os, sys
from pathlib import Path
from bot.arena.store.data_folder import sole_user
from bot.arena.store.opening import open_database
from bot.errors import HostError

if os.geteuid() == 0:
    os.setuid(65534)

async def main():
    with sole_user(Path(sys.argv[1])):
        async with open_database(Path(sys.argv[1])):
            pass

try:
    asyncio.run(main())
except HostError as error:
    print("HostError", error)
"""


def modes_in(folder: Path) -> dict[str, int]:
    """What others may do with each file."""
    return {each.name: each.stat().st_mode & 0o077 for each in folder.iterdir()}


async def test_files_of_the_database_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch(mode=0o644)  # as earlier versions left it
    with sole_user(tmp_path / "new"):
        async with open_database(tmp_path) as database:
            await Accounts(database, SystemTime()).create_token("robot")
            modes = modes_in(tmp_path)
    assert FILE_NAME in modes
    assert f"{FILE_NAME}-wal" in modes
    assert set(modes.values()) == {0}
