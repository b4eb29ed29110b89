"""What all tests share: a PostgreSQL server, limits that no slow machine breaks, less garbage."""

import asyncio
import gc
from collections.abc import Callable, Iterator, Mapping

import pytest
from hypothesis import settings

from tests.fakes import loops
from tests.fakes.ports import HeldPort
from tests.fakes.postgres import Postgres, running_postgres

settings.register_profile("at any speed", deadline=None)
settings.load_profile("at any speed")


def pytest_collection_finish() -> None:
    """Keep the collector of garbage from visiting all tests and modules again and again.

    They are a million objects, which stay until the end.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests; each test creates a database of its own.

    Tests that use it are marked with `xdist_group("postgres")`, so that only one of the processes
    of a test run starts a server.
    """
    with running_postgres() as server:
        yield server


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return loops.loop_of(item)


@pytest.fixture
def held_port() -> Iterator[int]:
    """A port that nobody else gets before the test ends."""
    port = HeldPort()
    yield port.number
    port.close()


@pytest.fixture(autouse=True)
def one_clock() -> Iterator[None]:
    """A `monkeypatch` of its own, because a test may undo what it has changed itself."""
    with pytest.MonkeyPatch.context() as patch:
        loops.OneClock(patch)
        yield
