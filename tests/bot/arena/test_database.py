"""The database file."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.arena.accounts import Accounts, issue_token
from bot.arena.database import FILE_NAME, Database, open_database
from bot.errors import HostError
from bot.time_source import SystemTime


async def test_a_file_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(HostError, match="newer version"):
        async with open_database(tmp_path):
            pass


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("this is no database, whatever its name says" * 20)
    with pytest.raises(HostError, match=FILE_NAME):
        async with open_database(tmp_path):
            pass


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match="data folder"):
        async with open_database(tmp_path / "file" / "data"):
            pass


async def test_several_programs_write_at_once(tmp_path: Path) -> None:
    names = [f"bot{number}" for number in range(8)]
    await asyncio.gather(*(issue_token(tmp_path, name) for name in names))
    async with open_database(tmp_path) as database:
        accounts = Accounts(database, SystemTime())
        assert [(await accounts.find(name)).name for name in names] == names


async def write_and_fail(database: Database) -> None:
    async with database.write() as connection:
        await connection.exec_driver_sql("INSERT INTO facts (name, value) VALUES ('a', 'b')")
        raise ZeroDivisionError


async def test_a_write_that_fails_changes_nothing(tmp_path: Path) -> None:
    async with open_database(tmp_path) as database:
        with pytest.raises(ZeroDivisionError):
            await write_and_fail(database)
        async with database.read() as connection:
            rows = await connection.exec_driver_sql("SELECT * FROM facts")
            assert rows.all() == []
