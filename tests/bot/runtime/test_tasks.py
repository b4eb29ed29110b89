import asyncio

import pytest
import structlog

from bot.runtime.tasks import (
    BlockInterrupted,
    Interruption,
    Overtaken,
    OwnedTasks,
    a_few_at_once,
    result_of,
    unless_overtaken,
)


async def value(number: int, ticks: int = 0) -> int:
    for _ in range(ticks):
        await asyncio.sleep(0)
    return number


async def fail(text: str) -> int:
    raise ValueError(text)


async def test_work_that_ends_first_or_at_once_with_the_other_counts() -> None:
    assert await unless_overtaken(value(1), by=value(2, ticks=3)) == 1
    assert await unless_overtaken(value(1), by=value(2)) == 1


async def test_work_that_is_overtaken_is_cancelled_before_the_error_is_raised() -> None:
    cancelled = asyncio.Event()

    async def slow() -> int:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()
        return 1

    with pytest.raises(Overtaken):
        await unless_overtaken(slow(), by=value(2, ticks=3))
    assert cancelled.is_set()


async def test_a_failure_of_either_is_raised() -> None:
    with pytest.raises(ValueError, match="ours"):
        await unless_overtaken(fail("ours"), by=asyncio.sleep(60))
    with pytest.raises(ValueError, match="theirs"):
        await unless_overtaken(asyncio.sleep(60), by=fail("theirs"))


async def test_cancelling_the_race_cancels_both() -> None:
    loop = asyncio.get_running_loop()
    ours, theirs = loop.create_future(), loop.create_future()
    race = asyncio.create_task(unless_overtaken(result_of(ours), by=result_of(theirs)))
    await asyncio.sleep(0.01)
    race.cancel()
    with pytest.raises(asyncio.CancelledError):
        await race
    assert ours.cancelled()
    assert theirs.cancelled()


async def test_an_unexpected_failure_in_the_background_is_logged() -> None:
    tasks = OwnedTasks("it_failed", expected=KeyError, engine="search")

    async def expected() -> None:
        raise KeyError("a")

    with structlog.testing.capture_logs() as log:
        tasks.start(fail("bug"))
        tasks.start(expected())
        task = tasks.create_task(value(3))
        await tasks.wait()
    assert await task == 3
    assert [(each["event"], str(each["exc_info"]), each["engine"]) for each in log] == [
        ("it_failed", "bug", "search")
    ]


async def test_cancel_ends_all_and_logs_nothing() -> None:
    tasks = OwnedTasks("it_failed")
    with structlog.testing.capture_logs() as log:
        sleeping = tasks.create_task(asyncio.sleep(60))
        await tasks.cancel()
    assert sleeping.cancelled()
    assert log == []


async def test_items_are_worked_on_a_few_at_once() -> None:
    running, most, progress = 0, 0, list[int]()

    async def do(_: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    await a_few_at_once(range(10), do, at_once=3, on_progress=progress.append)
    assert most == 3
    assert progress == list(range(1, 11))


async def test_a_failed_item_cancels_the_others_and_its_error_is_raised() -> None:
    begun, cancelled = list[int](), asyncio.Event()

    async def do(item: int) -> None:
        begun.append(item)
        if item == 1:
            raise ValueError("the second item")
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    with pytest.raises(ValueError, match="the second item"):
        await a_few_at_once(range(10), do, at_once=2)
    assert cancelled.is_set()
    assert begun == [0, 1]


async def test_a_block_is_interrupted_and_its_task_goes_on() -> None:
    interruption = Interruption()
    interruption.interrupt()  # there is no block yet
    for _ in range(2):
        asyncio.get_running_loop().call_soon(interruption.interrupt)
        with pytest.raises(BlockInterrupted):
            async with interruption.admitted():
                await asyncio.Event().wait()
    async with interruption.admitted():
        assert await value(1) == 1


async def test_a_timeout_of_the_block_itself_is_no_interruption() -> None:
    with pytest.raises(TimeoutError):
        async with Interruption().admitted():
            raise TimeoutError
