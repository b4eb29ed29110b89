"""Which event loop a test has: the simulated one, unless it is marked with `real_time`."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.arena.store.writer import Writer
from bot.runtime import database
from bot.runtime.simulated_time import SimulatedLoop
from bot.runtime.workers import Workers
from bot.time_source import SystemTime

IN_PROCESS = (
    "tests/bot/arena/plans/",
    "tests/bot/daemon/",
    "tests/bot/guests/abstract_play/",
    "tests/bot/guests/hexo_arena/",
    "tests/bot/platforms/",
    "tests/bot/runtime/",
)
"""The folders of tests that have the simulated loop."""


def loop_of(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop for `pytest_asyncio_loop_factories`."""
    is_in_process = item.nodeid.startswith(IN_PROCESS)
    if item.get_closest_marker("real_time") or not is_in_process:
        return {"real": asyncio.new_event_loop}
    return {"simulated": SimulatedLoop}


def simulated() -> SimulatedLoop | None:
    """The running loop, if it is simulated."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop if isinstance(loop, SimulatedLoop) else None


class OneClock:
    """In a simulated loop the machine's clocks are simulated, and all threads are counted.

    The methods replace those of the product for the time of a test.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._monotonic, self._wall = SystemTime.monotonic, SystemTime.wall
        self._began = SystemTime().monotonic(), SystemTime().wall()
        patch.setattr(SystemTime, "monotonic", lambda time: self._monotonic_of(time))
        patch.setattr(SystemTime, "wall", lambda time: self._wall_of(time))
        patch.setattr(Writer, "__init__", _counted_writer(Writer.__init__))
        patch.setattr(Workers, "run", _counted_run(Workers.run))
        patch.setattr(database, "BUSY_S", 0.0)  # who holds the lock goes on only after the wait

    def _monotonic_of(self, time: SystemTime) -> float:
        loop = simulated()
        return self._monotonic(time) if loop is None else self._began[0] + loop.time()

    def _wall_of(self, time: SystemTime) -> datetime:
        loop = simulated()
        return self._wall(time) if loop is None else self._began[1] + timedelta(0, loop.time())


def _counted_writer(begin: Callable[..., None]) -> Callable[..., None]:
    def counted(writer: Writer, *args: Any, **named: Any) -> None:
        begin(writer, *args, **named)
        loop = simulated()
        if loop is not None:
            loop.count_jobs(lambda: writer.waiting_jobs)

    return counted


def _counted_run(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def counted(*args: Any, **named: Any) -> Any:
        loop = simulated()
        if loop is None:
            return await run(*args, **named)
        running = [run]
        loop.count_jobs(lambda: len(running))
        try:
            return await run(*args, **named)
        finally:
            running.clear()

    return counted
