"""Tests of the stores run on SQLite and on PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.arena.settings import Place
from bot.arena.store.database import Database
from bot.arena.store.opening import open_database
from tests.fakes.postgres import Postgres

POSTGRES = pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))


@pytest.fixture(params=["sqlite", POSTGRES])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place with an empty database."""
    if request.param == "sqlite":
        return Place(tmp_path)
    server: Postgres = request.getfixturevalue("postgres")
    return Place(tmp_path, server.create())


@pytest.fixture
async def database(place: Place) -> AsyncIterator[Database]:
    async with open_database(place) as opened:
        yield opened
