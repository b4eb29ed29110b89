"""Frames that come faster than the pace wait."""

import asyncio

from bot.arena.edge.pace import IN_A_ROW, FrameBudget, Pace


async def test_others_have_a_turn_between_the_frames_of_a_burst() -> None:
    budget, turns = FrameBudget(Pace(per_s=1, burst=10 * IN_A_ROW)), 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    for _ in range(10 * IN_A_ROW):
        await budget.take()
    task.cancel()
    assert turns >= 9


async def test_frames_above_the_pace_wait() -> None:
    budget, loop = FrameBudget(Pace(per_s=50, burst=5)), asyncio.get_running_loop()
    began = loop.time()
    for _ in range(10):
        await budget.take()
    assert loop.time() - began >= 5 / 50 - 0.001
