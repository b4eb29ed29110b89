"""Which event loop a test has: the simulated one, unless it is marked with `real_time`."""

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.arena.store.writer import RETRY_S, Writer
from bot.runtime import database
from bot.runtime.simulated_time import SimulatedLoop
from bot.runtime.workers import Workers
from bot.time_source import SystemTime

IN_PROCESS = (
    "tests/bot/arena/",
    "tests/bot/daemon/",
    "tests/bot/guests/abstract_play/",
    "tests/bot/guests/hexo_arena/",
    "tests/bot/platforms/",
    "tests/bot/runtime/",
)
"""The folders of tests that have the simulated loop."""
REAL_TIME = (
    "tests/bot/arena/cluster/",  # leases run by the clocks of PostgreSQL and Valkey
    "tests/bot/arena/postgres/",  # servers that stop and start
    "tests/bot/arena/web/",  # compilers and scripts in processes of their own
)
"""Folders within these that have a real loop, because they wait for other programs."""


def loop_of(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop for `pytest_asyncio_loop_factories`."""
    is_in_process = item.nodeid.startswith(IN_PROCESS) and not item.nodeid.startswith(REAL_TIME)
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


class Gate:
    """Holds threads until it is opened; the clock of a simulated loop does not wait for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop or asyncio.get_running_loop()
        self._lock, self._opened = threading.Lock(), threading.Event()
        self._held = 0
        if isinstance(self._loop, SimulatedLoop):
            self._loop.count_jobs(lambda: -self._held)

    def wait(self) -> None:
        """Wait, in a thread whose job is counted."""
        with self._lock:
            if self._opened.is_set():
                return
            self._held += 1
        self._loop.call_soon_threadsafe(lambda: None)  # it looks again whether a thread works
        self._opened.wait()

    def open(self) -> None:
        with self._lock:
            self._held = 0
            self._opened.set()


class OneClock:
    """In a simulated loop the machine's clocks are simulated, and all threads are counted.

    The methods replace those of the product for the time of a test.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._monotonic, self._wall = SystemTime.monotonic, SystemTime.wall
        self._began = SystemTime().monotonic(), SystemTime().wall()
        self._pausing = set[Writer]()
        patch.setattr(SystemTime, "monotonic", lambda time: self._monotonic_of(time))
        patch.setattr(SystemTime, "wall", lambda time: self._wall_of(time))
        patch.setattr(Writer, "__init__", _counted(Writer, self._is_working))
        patch.setattr(Writer, "_pause", self._pause_of(Writer._pause))
        patch.setattr(Workers, "__init__", _counted(Workers, lambda workers: workers.running))
        patch.setattr(database, "BUSY_S", 0.0)  # who holds the lock goes on only after the wait

    def _monotonic_of(self, time: SystemTime) -> float:
        loop = simulated()
        return self._monotonic(time) if loop is None else self._began[0] + loop.time()

    def _wall_of(self, time: SystemTime) -> datetime:
        loop = simulated()
        return self._wall(time) if loop is None else self._began[1] + timedelta(0, loop.time())

    def _is_working(self, writer: Writer) -> bool:
        return writer.is_busy and writer not in self._pausing

    def _pause_of(self, really: Callable[[Writer], None]) -> Callable[[Writer], None]:
        """The pause of a thread before it tries again to write, in simulated time."""

        def pause(writer: Writer) -> None:
            loop, over = writer._loop, threading.Event()
            if not isinstance(loop, SimulatedLoop):
                really(writer)
                return

            def begin() -> None:
                self._pausing.add(writer)
                loop.call_later(RETRY_S, end)

            def end() -> None:
                self._pausing.remove(writer)
                over.set()

            loop.call_soon_threadsafe(begin)
            over.wait()

        return pause


def _counted(kind: type[Any], jobs: Callable[[Any], int]) -> Callable[..., None]:
    """The `__init__` of a class with threads, whose jobs stop the simulated clock."""
    begin = kind.__init__

    def counted(made: object, *args: Any, **named: Any) -> None:
        begin(made, *args, **named)
        if (loop := simulated()) is not None:
            loop.count_jobs(lambda: jobs(made))

    return counted
