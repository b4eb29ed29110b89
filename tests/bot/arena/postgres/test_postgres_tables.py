"""Which tables a PostgreSQL database has, and who may make or change them."""

import asyncio
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from bot.arena.players.accounts import Accounts, issue_token
from bot.arena.settings import Place
from bot.arena.store import schema
from bot.arena.store.connection import Connection
from bot.arena.store.opening import open_database
from bot.arena.store.tables import Dialect, all_tables
from bot.errors import DataError, HostError
from tests.bot.arena.store.server import ask
from tests.bot.arena.store.server import place as place
from tests.bot.arena.store.server import soon_again as soon_again
from tests.bot.arena.store.server import url as url
from tests.fakes.postgres import Postgres
from tests.fakes.time import FakeTime

pytestmark = pytest.mark.xdist_group("postgres")


async def test_the_order_of_texts_does_not_depend_on_the_servers_locale(
    place: Place, url: str
) -> None:
    async with open_database(place):
        pass
    collations = ask(
        url,
        "SELECT DISTINCT collation_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND data_type = 'text'",
    )
    assert collations == [("C",)]


async def test_tables_of_a_newer_program_are_left_alone(place: Place, url: str) -> None:
    async with open_database(place):
        pass
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    with pytest.raises(DataError, match=r"newer version of Bluestone.*choose another database"):
        async with open_database(place):
            pass


async def test_a_column_that_is_missing_is_named(place: Place, url: str) -> None:
    async with open_database(place):
        pass
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER TABLE games DROP COLUMN revision")
    with pytest.raises(DataError, match=r"games\.revision is missing; restore"):
        async with open_database(place):
            pass


async def test_tables_are_brought_up_to_date_unless_an_arena_uses_them(
    place: Place, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.postgres.postgres_database.LOCK_S", 0.0)

    def add_column(connection: Connection, dialect: Dialect) -> None:
        connection.execute(dialect.spelled("ALTER TABLE accounts ADD COLUMN motto TEXT"))

    async with open_database(place):
        monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
        sets = list(all_tables())
        sets[0] = replace(sets[0], steps={schema.VERSION: add_column})
        monkeypatch.setattr(schema, "all_tables", lambda: sets)
        with pytest.raises(HostError, match="another arena uses it"):
            await issue_token(place, "robot")
    await issue_token(place, "robot")
    assert ask(url, "SELECT motto FROM accounts") == [(None,)]
    assert ask(url, "SELECT version FROM schema_version") == [(schema.VERSION,)]


async def test_programs_that_start_at_once_make_the_tables_once(place: Place) -> None:
    bots = [f"bot{number}" for number in range(4)]
    await asyncio.gather(*(issue_token(place, name) for name in bots))
    async with open_database(place) as database:
        accounts = Accounts(database, FakeTime())
        assert [(await accounts.find(name)).name for name in bots] == bots


async def test_a_database_with_another_encoding_is_refused(
    postgres: Postgres, tmp_path: Path
) -> None:
    made = sql.SQL("CREATE DATABASE latin TEMPLATE template0 ENCODING SQL_ASCII LOCALE 'C'")
    postgres.run(sql.Composed([made]))
    with pytest.raises(HostError, match="create a database with the encoding UTF8"):
        async with open_database(Place(tmp_path, postgres.url("latin"))):
            pass
