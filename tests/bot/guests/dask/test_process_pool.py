"""Dask workers as a process pool for training."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from bot.errors import ConfigurationError, HostError
from bot.guests.dask import process_pool, venue
from bot.guests.dask.cluster import own_versions
from bot.guests.dask.process_pool import dask_pool
from engine.training.processes import Crew
from lab.tournaments.local_dask import LocalDask

# These tests share a worker of Dask, so one process of pytest-xdist must run them all.
pytestmark = pytest.mark.xdist_group("process-pool")
ONE_WORKER = pytest.mark.asyncio(loop_scope="module")


def sizes(address: str, within_s: float = 30, game: str = "bluestone") -> dict[int, int]:
    with dask_pool(address, game, within_s) as pool:
        return dict(Crew(pool.executor, pool.size).results(abs, [-1, -2, -3], lambda: False))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worker() -> AsyncIterator[str]:
    """The address of a scheduler with one worker, which takes task after task."""
    async with LocalDask.running(1) as dask:
        yield dask.address


@pytest.mark.e2e
@ONE_WORKER
async def test_workers_run_the_tasks_of_a_pool(worker: str) -> None:
    assert await asyncio.to_thread(sizes, worker) == {-1: 1, -2: 2, -3: 3}


@pytest.mark.e2e
@ONE_WORKER
async def test_workers_of_another_version_are_refused(
    worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = own_versions().model_copy(update={"sources": "moon"})
    monkeypatch.setattr(process_pool, "own_versions", lambda: other)
    with pytest.raises(ConfigurationError, match="other sources"):
        await asyncio.to_thread(sizes, worker)


@pytest.mark.e2e
@ONE_WORKER
async def test_a_worker_that_fails_is_refused_and_the_error_is_logged(worker: str) -> None:
    with capture_logs() as lines, pytest.raises(HostError, match="cannot train"):
        await asyncio.to_thread(sizes, worker, game="chess")
    (line,) = lines
    assert (line["event"], line["game"], line["exc_info"]) == ("workers_not_ready", "chess", True)


@pytest.mark.e2e
async def test_a_scheduler_without_workers_is_refused() -> None:
    async with LocalDask.running(0) as dask:
        with pytest.raises(HostError, match="no workers"):
            await asyncio.to_thread(sizes, dask.address, within_s=0.2)


def test_an_invalid_address_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="HOST:PORT"), dask_pool("moon", "bluestone"):
        pass


def test_without_distributed_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(venue, "find_spec", lambda _: None)
    needed = pytest.raises(ConfigurationError, match=r"pip install .*\[distributed\]")
    with needed, dask_pool("localhost:1", "bluestone"):
        pass
