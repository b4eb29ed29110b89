"""The copy of a SQLite file in PostgreSQL."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot import wire
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.operator.desk import Desk
from bot.arena.players.accounts import Accounts
from bot.arena.settings import Allowances, Place
from bot.arena.store import migration
from bot.arena.store.data_folder import sole_user
from bot.arena.store.migration import checksum_of, copy_database
from bot.arena.store.opening import open_database
from bot.arena.store.orders import By
from bot.arena.store.sqlite_database import FILE_NAME
from bot.arena.store.tables import all_columns
from bot.errors import DataError, HostError
from bot.time_controls import parse_time_control
from tests.fakes.postgres import Postgres
from tests.fakes.time import EPOCH, FakeTime

pytestmark = pytest.mark.xdist_group("postgres")

QUIET = lambda _table, _rows, _total: None  # noqa: E731


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.create()


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    """The file of an arena with a running game, a finished one, tokens and an audit log."""
    time = FakeTime()
    async with open_database(tmp_path) as database:
        accounts, store = Accounts(database, time), GameStore(database)
        anna, ben = [
            (await accounts.log_in(wire.Credentials(v=1, name=name), "203.0.113.7")).player
            for name in ("Anna", "Ben")
        ]
        setup = wire.GameSetup(board="pent-3", clock=parse_time_control("60+2"))
        for name in ("g1", "g2"):
            game = new_game(name, setup, (anna, ben), Allowances(), EPOCH, 0.1)
            played = game.play(1, 0, "0-0", 1.5)
            await store.begin(game)
            await store.save(game, played, None)
            if name == "g2":
                over = replace(played.act(2, "resign", 2.5), ended_at=EPOCH)
                await store.save(played, over, None)
        await accounts.create_token("robot")
        await Desk(database, time, By("root", "spam \N{SNOWMAN}")).rotate(
            "robot", timedelta(days=1)
        )
    return tmp_path / FILE_NAME


def counts(url: str) -> dict[str, int]:
    with psycopg.connect(url) as connection:
        return {
            table: connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()[0][0]
            for table in all_columns()
        }


def tables_in(url: str) -> int:
    with psycopg.connect(url) as connection:
        found = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
        number: int = connection.execute(found.encode()).fetchall()[0][0]
        return number


async def test_an_arena_continues_on_the_copy(file: Path, url: str) -> None:
    told: list[tuple[str, int, int]] = []
    copied = copy_database(file, url, lambda *progress: told.append(progress))
    assert {each.table: each.rows for each in copied} == counts(url)
    assert ("turns", 2, 2) in told
    before, after = [await contents(each) for each in (Place(file.parent), Place(file.parent, url))]
    assert before == after
    [running], finished, orders = after
    assert (running.game_id, finished.game_id) == ("g1", "g2")
    # Both orders have the same time, so their order is not known.
    [rotated] = [order for order in orders if order.action == "rotate"]
    assert rotated.by.reason == "spam \N{SNOWMAN}"


async def contents(place: Place) -> list[Any]:
    """What the stores find there."""
    async with open_database(place) as database:
        store, desk = GameStore(database), Desk(database, FakeTime(), By("root"))
        assert (await Accounts(database, FakeTime()).find("anna")).kind == "person"
        return [await store.running(), await store.finished("g2"), await desk.audit(9)]


async def test_a_target_with_rows_is_refused(file: Path, url: str) -> None:
    copy_database(file, url, QUIET)
    before = counts(url)
    with pytest.raises(HostError, match="is not empty: there are rows in facts"):
        copy_database(file, url, QUIET)
    assert counts(url) == before


async def test_a_copy_that_differs_leaves_nothing(
    file: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = iter([(3, "a"), (3, "a"), (2, "b"), (2, "c")])
    monkeypatch.setattr(migration, "checksum_of", lambda _rows: next(results))
    with pytest.raises(DataError, match="orders: 2 rows were copied"):
        copy_database(file, url, QUIET)
    assert tables_in(url) == 0


async def test_arenas_that_run_are_not_disturbed(file: Path, url: str) -> None:
    with sole_user(file.parent), pytest.raises(HostError, match="another arena runs"):
        copy_database(file, url, QUIET)
    async with open_database(Place(file.parent, url)):
        with pytest.raises(HostError, match="another arena uses it"):
            copy_database(file, url, QUIET)


async def test_a_file_of_another_version_is_refused(file: Path, url: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA user_version = 4")
    with pytest.raises(DataError, match="start and stop the arena on it once"):
        copy_database(file, url, QUIET)
    with pytest.raises(HostError, match="there is no such file"):
        copy_database(file.with_name("other.db"), url, QUIET)


def test_the_checksum_sees_every_difference_but_the_order_of_rows() -> None:
    rows = [("a", 1, 0.1, None), ("b", 0, 1.5, "x")]
    same = [("b", False, 1.5, "x"), ("a", True, 0.1, None)]
    assert checksum_of(rows) == checksum_of(same)
    for other in ([rows[0]], [rows[0], ("b", 0, 1.5, None)], [*rows, rows[0]]):
        assert checksum_of(other) != checksum_of(rows)
