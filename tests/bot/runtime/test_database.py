"""A file of the bot's own: all or nothing, and on the disk."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest
from structlog.testing import capture_logs

from bot.errors import DataError, HostError
from bot.runtime.database import LOG_PAGES, PROBE_BYTES, RETRY_S, FileDatabase
from tests.fakes.full_disk import longest_file
from tests.fakes.locked import locked
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


class Names(FileDatabase):
    NAME: ClassVar[str] = "list of names"
    APPLICATION_ID: ClassVar[int] = 0x6E616D65
    VERSION: ClassVar[int] = 4
    TABLES: ClassVar[tuple[str, ...]] = ("CREATE TABLE names (name TEXT PRIMARY KEY NOT NULL)",)
    MIGRATIONS: ClassVar[Mapping[int, tuple[str, ...]]] = {
        2: ("ALTER TABLE words RENAME TO people",),
        3: ("ALTER TABLE people RENAME TO names",),
    }

    async def add(self, *names: str | None) -> int:
        return await self._write(
            *(("INSERT OR IGNORE INTO names VALUES (?)", (name,)) for name in names)
        )

    async def add_only_new(self, *names: str) -> int:
        return await self._write(*(("INSERT INTO names VALUES (?)", (name,)) for name in names))

    async def names(self) -> list[str]:
        return sorted(str(name) for (name,) in await self._read("SELECT name FROM names", ()))


async def test_a_write_returns_the_number_of_changed_rows(tmp_path: Path) -> None:
    async with Names.opened(tmp_path / "names.db") as names:
        assert await names.add("a", "b") == 2
        assert await names.add("b", "c") == 1
        assert await names.add("c") == 0


async def test_several_changes_are_made_together_or_not_at_all(tmp_path: Path) -> None:
    async with Names.opened(tmp_path / "names.db") as names:
        await names.add("b")
        with pytest.raises(HostError, match="the list of names cannot be written"):
            await names.add_only_new("a", "b")
        assert await names.names() == ["b"]


def written_by(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.executescript(
            "CREATE TABLE words (name TEXT PRIMARY KEY NOT NULL); INSERT INTO words VALUES ('a');"
            f"PRAGMA user_version = {version};"
        )


async def test_tables_of_an_earlier_version_are_migrated_step_by_step(tmp_path: Path) -> None:
    path = tmp_path / "names.db"
    written_by(path, 2)
    for _ in range(2):  # the second time there is nothing to migrate
        async with Names.opened(path) as names:
            assert await names.names() == ["a"]
            assert await names._read("PRAGMA user_version", ()) == [(4,)]


@pytest.mark.parametrize(
    ("version", "why"),
    [
        (0, "earlier version .* move the file away"),
        (1, "earlier version .* move the file away"),
        (5, "later version .* start that version"),
    ],
)
async def test_a_file_that_cannot_be_migrated_is_refused_and_left_alone(
    tmp_path: Path, version: int, why: str
) -> None:
    path = tmp_path / "names.db"
    written_by(path, version)
    before = path.read_bytes()
    with pytest.raises(DataError, match=f"list of names cannot be opened: .*{why}"):
        async with Names.opened(path):
            pass
    assert path.read_bytes() == before


async def test_a_damaged_file_is_told_from_a_machine_in_trouble(tmp_path: Path) -> None:
    path = tmp_path / "names.db"
    path.write_text("this is no database, whatever its name says" * 20)
    with pytest.raises(DataError, match="list of names cannot be opened: file is not a database"):
        async with Names.opened(path):
            pass


async def test_a_write_survives_a_power_cut(tmp_path: Path) -> None:
    async with Names.opened(tmp_path / "names.db") as names:
        assert await names._read("PRAGMA synchronous", ()) == [(2,)]
        assert await names._read("PRAGMA journal_mode", ()) == [("wal",)]


async def test_it_belongs_to_its_owner_and_tools_know_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "names.db"
    async with Names.opened(path) as names:
        await names.add("a")
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    found = sqlite3.connect(path)
    assert found.execute("PRAGMA application_id").fetchone() == (0x6E616D65,)
    found.close()


async def test_a_locked_file_is_read_and_written_again_later(tmp_path: Path) -> None:
    path, time = tmp_path / "names.db", FakeTime()
    async with Names.opened(path, time) as names:
        await names.add("a")
        with locked(path), pytest.raises(HostError, match="locked"):
            await names.add("b")
        assert names.writing.problem is not None
        assert await names.names() == ["a"]
        await eventually(lambda: time.sleepers > 0)
        await time.advance(RETRY_S)
        await names.writing.until_works()
        assert await names.add("b") == 1


async def test_on_a_full_disk_a_little_room_is_not_taken_for_enough(tmp_path: Path) -> None:
    path, time = tmp_path / "names.db", FakeTime()
    async with Names.opened(path, time) as names:
        with capture_logs() as logs:
            with longest_file(PROBE_BYTES):
                with pytest.raises(HostError, match="cannot be written"):
                    await names.add("a" * PROBE_BYTES)
                await eventually(lambda: time.sleepers > 0)
                for _ in range(3):
                    await time.advance(RETRY_S)
                    await eventually(lambda: time.sleepers > 0)
            assert [each["event"] for each in logs] == ["cannot_write"]
            await time.advance(RETRY_S)
            await names.writing.until_works()
        assert [each["event"] for each in logs] == ["cannot_write", "writes_again"]
        assert await names.add("a" * PROBE_BYTES) == 1


async def test_repeated_writes_take_no_more_room(tmp_path: Path) -> None:
    path = tmp_path / "names.db"
    async with Names.opened(path) as names:
        for _ in range(LOG_PAGES):
            await names.add("a")
            await names._write(("DELETE FROM names", ()))
        assert path.with_name("names.db-wal").stat().st_size < 2 * LOG_PAGES * 4096


async def test_no_such_file_can_be_made_where_there_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=f"{tmp_path}: the list of names cannot be opened"):
        async with Names.opened(tmp_path):
            pass
