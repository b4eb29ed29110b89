"""Requests of one connection: few at once, and the questions among them end with it."""

import asyncio

from bot.arena.edge.unfinished import Unfinished


class Work:
    def __init__(self) -> None:
        self.goes_on = asyncio.Event()
        self.done: list[str] = []

    async def do(self, name: str) -> None:
        await self.goes_on.wait()
        self.done.append(name)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_connection_with_enough_unfinished_requests_is_not_read() -> None:
    work, unfinished = Work(), Unfinished(2)
    for name in ("one", "two"):
        await unfinished.room()
        unfinished.start(work.do(name), is_question=True)
    reading = asyncio.create_task(unfinished.room())
    await settle()
    assert not reading.done()
    work.goes_on.set()
    await reading
    await settle()
    assert (work.done, len(unfinished)) == (["one", "two"], 0)


async def test_questions_are_dropped_and_orders_are_completed() -> None:
    work, unfinished = Work(), Unfinished(3)
    unfinished.start(work.do("question"), is_question=True)
    unfinished.start(work.do("order"), is_question=False)
    await settle()
    unfinished.drop()
    await settle()
    assert len(unfinished) == 1
    work.goes_on.set()
    await settle()
    assert (work.done, len(unfinished)) == (["order"], 0)
