"""A PostgreSQL server under test, and a way to it that can be cut."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from bot.arena.settings import Place
from bot.arena.store import writer
from tests.fakes.cut_connection import Relay, relay
from tests.fakes.postgres import Postgres


@pytest.fixture(autouse=True)
def soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "RETRY_S", 0.01)


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.create()


@pytest.fixture
def place(tmp_path: Path, url: str) -> Place:
    return Place(tmp_path, url)


@pytest.fixture
def cut(postgres: Postgres) -> Iterator[Relay]:
    with relay(postgres.socket) as made:
        yield made


def by_way_of(cut: Relay, place: Place) -> Place:
    """The same database, reached over the relay."""
    name = str(place.database).partition("?")[0].rpartition("/")[2]
    return replace(place, database=f"postgresql://postgres@127.0.0.1:{cut.port}/{name}")


def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchall()
