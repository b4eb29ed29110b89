"""What a server does that a file does not: restart, forget connections, lose answers, refuse."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg import errors, sql
from structlog.testing import capture_logs

from bot.arena.players.accounts import issue_token
from bot.arena.postgres.postgres_database import judge
from bot.arena.postgres.server import postgres as driver_of
from bot.arena.settings import Place
from bot.arena.store import writer
from bot.arena.store.connection import Connection, ErrorVerdict
from bot.arena.store.database import Database
from bot.arena.store.opening import arena_runs, open_database, why_missing
from bot.arena.store.writer import Statement
from bot.errors import ConfigurationError, HostError
from tests.bot.arena.store.server import ask, by_way_of
from tests.bot.arena.store.server import cut as cut
from tests.bot.arena.store.server import place as place
from tests.bot.arena.store.server import soon_again as soon_again
from tests.bot.arena.store.server import url as url
from tests.fakes.cut_connection import Relay
from tests.fakes.postgres import Postgres
from tests.fakes.waiting import eventually

pytestmark = pytest.mark.xdist_group("postgres")


def note(name: str, value: str = "x") -> Statement:
    return Statement("INSERT INTO facts (name, value) VALUES (?, ?)", (name, value))


async def names(database: Database) -> list[str]:
    rows = await database.read(lambda c: c.execute("SELECT name FROM facts").fetchall())
    return sorted(row["name"] for row in rows)


# ---- outages ----------------------------------------------------------------------------------


async def test_while_the_server_restarts_writes_and_reads_wait(
    postgres: Postgres, place: Place
) -> None:
    told: list[str | None] = []
    async with open_database(place) as database:
        database.on_trouble.append(told.append)
        await database.write(note("a"))
        postgres.stop()
        try:
            writing = [asyncio.create_task(database.write(note(name))) for name in "bc"]
            reading = asyncio.create_task(names(database))
            await eventually(lambda: database.trouble is not None)
        finally:
            await asyncio.to_thread(postgres.start)
        await asyncio.gather(*writing)
        assert "a" in await reading
        assert await names(database) == ["a", "b", "c"]
    assert [why is None for why in told] == [False, True]


async def test_the_end_does_not_wait_for_a_server_that_is_gone(
    postgres: Postgres, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "HURRIED_S", 0.05)
    monkeypatch.setattr("bot.arena.postgres.postgres_database.HURRIED_S", 0.05)
    try:
        async with open_database(place) as database:
            postgres.stop()
            work = [database.write(note("a")), names(database)]
            waiting = [asyncio.ensure_future(each) for each in work]
            await eventually(lambda: database.trouble is not None)
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    finally:
        await asyncio.to_thread(postgres.start)
    assert [type(each) for each in outcomes] == [HostError, HostError]


async def test_connections_that_are_cut_are_replaced(cut: Relay, place: Place) -> None:
    async with open_database(by_way_of(cut, place)) as database:
        await database.write(note("a"))
        assert await names(database) == ["a"]
        cut.cut()
        assert await names(database) == ["a"]
        await database.write(lambda c: c.execute(note("b").sql, note("b").values))
        assert await names(database) == ["a", "b"]


@pytest.mark.parametrize("failure", [errors.DiskFull, errors.AdminShutdown, errors.IoError])
async def test_a_server_that_cannot_write_now_is_waited_for(
    failure: type[psycopg.Error], place: Place
) -> None:
    told: list[str | None] = []
    async with open_database(place) as database:
        database.on_trouble.append(told.append)
        failures = iter([failure("not now")])

        def work(connection: Connection) -> None:
            connection.execute(note("a").sql, note("a").values)
            for each in failures:
                raise each

        await database.write(work)
        assert await names(database) == ["a"]
    assert told == ["not now", None]


async def test_work_that_another_transaction_contradicts_is_repeated_without_an_alarm(
    place: Place, url: str
) -> None:
    told: list[str | None] = []
    async with open_database(place) as database:
        database.on_trouble.append(told.append)
        runs = 0

        def add(connection: Connection) -> str:
            nonlocal runs
            count = connection.execute("SELECT count(*) FROM facts").fetchone()[0]
            if (runs := runs + 1) == 1:
                with psycopg.connect(url) as other:  # counts too, and commits first
                    other.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
                    other.execute("INSERT INTO facts SELECT 'other', count(*) FROM facts")
            connection.execute(note("a").sql, ("a", str(count)))
            return str(count)

        assert await database.write(add) == "1"
    assert (runs, told) == (2, [])
    assert sorted(ask(url, "SELECT name, value FROM facts")) == [("a", "1"), ("other", "0")]


def test_statements_behind_a_failed_one_can_be_repeated(url: str) -> None:
    # psycopg prepares what is repeated, also what the server has skipped.
    driver = driver_of(url)
    connection = driver.connect()
    connection.execute("CREATE TABLE t (id TEXT PRIMARY KEY, n BIGINT NOT NULL)")

    def work(number: int) -> None:
        key = f"x{number}"
        connection.execute("INSERT INTO t (id, n) VALUES (?, ?)", (key, None if number % 2 else 1))
        connection.execute("UPDATE t SET n = n + 1 WHERE id = ?", (key,))

    for number in range(20):
        if number % 2:
            with pytest.raises(errors.NotNullViolation):
                driver.transaction(connection, partial(work, number), is_repeatable=True)
        else:
            driver.transaction(connection, partial(work, number), is_repeatable=True)
    assert connection.execute("SELECT count(*), sum(n) FROM t").fetchone()[1] == 20
    connection.close()


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (errors.SerializationFailure(), ErrorVerdict.AGAIN),
        (errors.DeadlockDetected(), ErrorVerdict.AGAIN),
        (errors.CannotConnectNow(), ErrorVerdict.RECONNECT),
        (errors.ReadOnlySqlTransaction(), ErrorVerdict.RECONNECT),
        (errors.TooManyConnections(), ErrorVerdict.RECONNECT),
        (psycopg.OperationalError("the connection is closed"), ErrorVerdict.RECONNECT),
        (errors.InvalidSqlStatementName(), ErrorVerdict.RECONNECT),
        (errors.OutOfMemory(), ErrorVerdict.LATER),
        (errors.LockNotAvailable(), ErrorVerdict.LATER),
        (errors.DataCorrupted(), ErrorVerdict.DAMAGED),
        (errors.UniqueViolation(), ErrorVerdict.WORK_FAILED),
        (errors.PipelineAborted(), ErrorVerdict.WORK_FAILED),
        (psycopg.ProgrammingError("the query has 1 placeholder"), ErrorVerdict.WORK_FAILED),
        (ValueError(), ErrorVerdict.WORK_FAILED),
    ],
)
def test_errors_are_judged_by_their_codes(error: Exception, verdict: ErrorVerdict) -> None:
    assert judge(error) is verdict


async def test_a_commit_survives_a_power_cut_whatever_the_database_says(
    place: Place, url: str
) -> None:
    name = url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("ALTER DATABASE {} SET synchronous_commit TO off").format(sql.Identifier(name))
        )
    async with open_database(place) as database:
        show = "SHOW synchronous_commit"
        assert await database.write(lambda c: c.execute(show).fetchone()[0]) == "on"


# ---- one arena --------------------------------------------------------------------------------


async def test_a_second_arena_is_refused_and_a_command_is_not(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.postgres.postgres_database.LOCK_S", 0.0)
    assert why_missing(place) is not None
    async with open_database(place):
        assert arena_runs(place)
        with pytest.raises(HostError, match="another arena uses it"):
            async with open_database(place):
                pass
        assert await issue_token(place, "robot")
    await eventually(lambda: not arena_runs(place))  # the server ends the session a moment later
    assert why_missing(place) is None
    async with open_database(place):
        pass


async def test_an_arena_whose_place_was_taken_while_it_was_cut_off_writes_nothing(
    cut: Relay, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.postgres.postgres_database.LOCK_S", 0.0)
    async with open_database(by_way_of(cut, place)) as first:
        async with stand_in(place, cut) as second:
            writing = asyncio.create_task(first.write(note("first")))
            await eventually(lambda: first.trouble is not None)
            await second.write(note("second"))
            assert await names(second) == ["second"]
            assert not writing.done()
        await writing
        assert await names(first) == ["first", "second"]


@asynccontextmanager
async def stand_in(place: Place, cut: Relay) -> AsyncIterator[Database]:
    """Cut the first arena off, and open the database as soon as the server has noticed."""
    cut.cut()
    while True:
        try:
            async with open_database(place) as database:
                yield database
                return
        except HostError:
            await asyncio.sleep(0.01)


# ---- the setting ------------------------------------------------------------------------------


async def test_a_server_that_cannot_be_reached_is_named_without_the_password(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path, "postgresql://anna:hunter2@127.0.0.1:1/arena")
    with (
        capture_logs() as logs,
        pytest.raises(HostError, match=r"postgresql://anna@127.0.0.1:1/arena: cannot") as raised,
    ):
        async with open_database(place):
            pass
    assert "hunter2" not in f"{raised.value}{logs}{place!r}"


async def test_a_url_that_cannot_be_understood_is_a_mistake_of_the_settings(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigurationError, match=r"database: .*colour"):
        async with open_database(Place(tmp_path, "postgresql://host/name?colour=red")):
            pass


@pytest.mark.parametrize("password", ["hun/ter2", "hun@ter/2", "hun ter", "hun%ter"])
async def test_a_password_that_is_not_escaped_is_explained_and_not_shown(
    password: str, tmp_path: Path
) -> None:
    place = Place(tmp_path, f"postgresql://anna:{password}@host/name")
    with pytest.raises(ConfigurationError, match=r"database: .*(percent|%2)") as raised:
        async with open_database(place):
            pass
    assert "hun" not in str(raised.value)


async def test_without_psycopg_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "bot.arena.postgres.postgres_database")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError, match=r"pip install .*\[postgres\]"):
        async with open_database(Place(tmp_path, "postgresql://host/name")):
            pass
