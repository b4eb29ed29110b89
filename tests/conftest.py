"""The PostgreSQL server of a test run."""

from collections.abc import Iterator

import pytest

from tests.fakes.postgres import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests; each test creates a database of its own.

    Tests that use it are marked with `xdist_group("postgres")`, so that only one of the processes
    of a test run starts a server.
    """
    with running_postgres() as server:
        yield server
