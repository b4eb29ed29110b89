"""One thread writes: together what waits together, and again what could not be written."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from bot.arena.settings import Place
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.arena.store.sqlite_database import FILE_NAME
from bot.arena.store.writer import Statement
from bot.errors import HostError
from tests.fakes.waiting import eventually

DEADLINE_S = 10.0
INTEGRITY = (sqlite3.IntegrityError, psycopg.IntegrityError)


@pytest.fixture
async def database(plain_place: Place) -> AsyncIterator[Database]:
    async with open_database(plain_place) as opened:
        yield opened


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Database]:
    """A SQLite database, for tests that hold or look at its file."""
    async with open_database(tmp_path) as opened:
        yield opened


async def names(database: Database) -> list[str]:
    rows = await database.read(lambda c: c.execute("SELECT name FROM facts").fetchall())
    return sorted(row["name"] for row in rows)


async def add(database: Database, name: str) -> int:
    """Write a name; how many there are then."""

    def work(connection: Connection) -> int:
        connection.execute("INSERT INTO facts (name, value) VALUES (?, 'x')", (name,))
        count: int = connection.execute("SELECT count(*) FROM facts").fetchone()[0]
        return count

    return await database.write(work)


async def test_a_write_is_visible_to_others_when_it_returns(
    sqlite: Database, tmp_path: Path
) -> None:
    assert await add(sqlite, "a") == 1
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        assert other.execute("SELECT name FROM facts").fetchall() == [("a",)]


async def test_a_write_survives_a_power_cut(sqlite: Database) -> None:
    """SQLite calls fsync for each commit if `synchronous` is FULL, which is 2."""

    def pragma(name: str) -> Callable[[Connection], object]:
        return lambda connection: connection.execute(f"PRAGMA {name}").fetchone()[0]

    assert await sqlite.write(pragma("synchronous")) == 2
    assert await sqlite.write(pragma("journal_mode")) == "wal"


async def test_waiting_work_is_written_in_order(database: Database) -> None:
    counts = await asyncio.gather(*(add(database, f"{number:02}") for number in range(50)))
    assert counts == list(range(1, 51))


async def test_a_work_that_fails_undoes_only_itself(database: Database) -> None:
    wanted = ["a", "b", "a", "c"]
    outcomes = await asyncio.gather(
        *(add(database, name) for name in wanted), return_exceptions=True
    )
    assert isinstance(outcomes[2], INTEGRITY)
    assert [outcomes[0], outcomes[1], outcomes[3]] == [1, 2, 3]
    assert await names(database) == ["a", "b", "c"]


async def test_while_another_program_holds_the_file_the_work_waits(
    sqlite: Database, tmp_path: Path
) -> None:
    told: list[str | None] = []
    sqlite.on_trouble.append(told.append)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = [asyncio.create_task(add(sqlite, name)) for name in "ab"]
        await eventually(lambda: sqlite.trouble is not None)
        assert not any(task.done() for task in waiting)
        assert await names(sqlite) == []  # reading goes on
        other.execute("ROLLBACK")
    assert await asyncio.gather(*waiting) == [1, 2]
    assert sqlite.trouble is None
    assert [why is None for why in told] == [False, True]
    assert "locked" in str(told[0])


async def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    async with open_database(tmp_path) as database:

        def fill(connection: Connection) -> None:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")

        await database.write(fill)

        def big(connection: Connection) -> None:
            if database.trouble is not None:
                connection.execute("PRAGMA max_page_count = 1000000")
            connection.execute("INSERT INTO facts VALUES ('big', ?)", ("x" * 1_000_000,))

        await database.write(big)
        assert await names(database) == ["big"]


async def test_a_thread_that_retries_work_shows_progress(sqlite: Database, tmp_path: Path) -> None:
    steps = set[float | None]()

    def has_tried_again() -> bool:
        steps.add(sqlite.pulse._since)
        return len(steps) > 3

    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        adding = asyncio.create_task(add(sqlite, "a"))
        await eventually(has_tried_again)
        other.execute("ROLLBACK")
    await adding
    await eventually(lambda: sqlite.pulse.in_step_s == 0)


async def test_the_end_does_not_wait_for_a_lock_for_ever(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        async with open_database(tmp_path) as database:
            other.execute("BEGIN IMMEDIATE")
            waiting = asyncio.create_task(add(database, "a"))
            await eventually(lambda: database.trouble is not None)
        with pytest.raises(HostError, match="cannot be written"):
            await waiting


async def test_a_program_with_limited_patience_gets_an_error(tmp_path: Path) -> None:
    async with open_database(tmp_path, patience_s=0.0) as database:
        with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(HostError, match=rf"{FILE_NAME}: .*locked"):
                await add(database, "a")


def statement(name: str) -> Statement:
    return Statement("INSERT INTO facts (name, value) VALUES (?, 'x')", (name,))


async def test_a_statement_alone_is_written_and_refused_like_any_work(database: Database) -> None:
    await database.write(statement("a"))
    with pytest.raises(INTEGRITY):
        await database.write(statement("a"))
    await asyncio.gather(*(database.write(statement(name)) for name in "bcd"))
    assert await names(database) == ["a", "b", "c", "d"]


async def test_a_statement_alone_waits_for_a_lock_too(sqlite: Database, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(sqlite.write(statement("a")))
        await eventually(lambda: sqlite.trouble is not None)
        other.execute("ROLLBACK")
    await waiting
    assert await names(sqlite) == ["a"]


async def test_a_statement_that_the_database_cannot_take_fails_alone(database: Database) -> None:
    row = ("t", "a", 2**63, "{}")
    too_large = Statement("INSERT INTO tournament_entrants VALUES (?, ?, ?, ?)", row)
    with pytest.raises((OverflowError, psycopg.DataError)):
        await asyncio.wait_for(database.write(too_large), DEADLINE_S)
    assert await asyncio.wait_for(add(database, "a"), DEADLINE_S) == 1


async def test_whatever_a_work_raises_the_next_one_is_written(database: Database) -> None:
    def leave(_connection: Connection) -> None:
        raise SystemExit

    def find_nothing(_connection: Connection) -> None:
        next(iter(()))

    with pytest.raises(HostError, match="SystemExit"):
        await asyncio.wait_for(database.write(leave), DEADLINE_S)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(database.write(find_nothing), DEADLINE_S)
    assert await asyncio.wait_for(add(database, "a"), DEADLINE_S) == 1
