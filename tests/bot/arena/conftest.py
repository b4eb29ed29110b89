"""Tests of the stores run on SQLite and on PostgreSQL, and with every write repeated."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from bot.arena.settings import Place
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from bot.arena.store.writer import Writer, _Job
from tests.fakes.postgres import Postgres

SYSTEMS = ("sqlite", pytest.param("postgres", marks=pytest.mark.xdist_group("postgres")))
REPEATED = "every write repeated"
"""As after commits whose answers were lost: each group of writes is committed twice."""


@pytest.fixture(params=SYSTEMS)
def plain_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place with an empty database."""
    return new_place(request, tmp_path)


@pytest.fixture(params=[*SYSTEMS, REPEATED])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place with an empty database, for tests whose writes are all repeatable."""
    if request.param == REPEATED:
        once = Writer._transaction

        def twice(writer: Writer, jobs: Sequence[_Job]) -> list[object]:
            once(writer, jobs)
            return once(writer, jobs)

        monkeypatch.setattr(Writer, "_transaction", twice)
    return new_place(request, tmp_path)


def new_place(request: pytest.FixtureRequest, folder: Path) -> Place:
    if request.param != "postgres":
        return Place(folder)
    server: Postgres = request.getfixturevalue("postgres")
    return Place(folder, server.create())


@pytest.fixture
async def database(place: Place) -> AsyncIterator[Database]:
    async with open_database(place) as opened:
        yield opened
