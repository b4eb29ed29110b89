"""Work in threads, fairly between addresses."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from bot.runtime.workers import Workers, worked_for, working_for


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    made = Workers(threads=1)
    yield made
    made.close()


async def asked(workers: Workers, address: str, name: str, done: list[str]) -> None:
    with working_for(address):
        await workers.run(done.append, name)


async def test_work_is_done_in_a_thread(workers: Workers) -> None:
    thread = await workers.run(threading.current_thread)
    assert thread.name.startswith("arena-worker")
    with pytest.raises(ZeroDivisionError):
        await workers.run(lambda: 1 // 0)


async def test_an_address_with_much_work_delays_another_one_by_one_piece(workers: Workers) -> None:
    release, done = threading.Event(), list[str]()
    first = asyncio.create_task(workers.run(release.wait))
    await asyncio.sleep(0)
    flood = [asyncio.create_task(asked(workers, "a", f"a{n}", done)) for n in range(5)]
    await asyncio.sleep(0)
    other = asyncio.create_task(asked(workers, "b", "b", done))
    await asyncio.sleep(0)
    release.set()
    await asyncio.gather(first, *flood, other)
    assert done == ["a0", "b", "a1", "a2", "a3", "a4"]


async def test_work_that_nobody_waits_for_is_dropped(workers: Workers) -> None:
    release, done = threading.Event(), list[str]()
    first = asyncio.create_task(workers.run(release.wait))
    await asyncio.sleep(0)
    dropped = asyncio.create_task(asked(workers, "a", "a", done))
    await asyncio.sleep(0)
    dropped.cancel()
    release.set()
    await asyncio.gather(first, dropped, return_exceptions=True)
    await asked(workers, "b", "b", done)
    assert done == ["b"]


async def test_a_thread_that_runs_on_keeps_its_place(workers: Workers) -> None:
    began, release, done = threading.Event(), threading.Event(), list[str]()

    def work() -> None:
        began.set()
        release.wait()

    first = asyncio.create_task(workers.run(work))
    await asyncio.to_thread(began.wait)
    first.cancel()
    second = asyncio.create_task(asked(workers, "b", "b", done))
    await asyncio.gather(first, return_exceptions=True)
    assert not done
    release.set()
    await second
    assert done == ["b"]


def test_the_arena_itself_has_no_address() -> None:
    assert worked_for() == ""
    with working_for("192.0.2.1"):
        assert worked_for() == "192.0.2.1"
    assert worked_for() == ""
