"""Pings of all connections with one timer.

A timer per connection would wake the server for each one separately, and that costs more than a
third of the turns.
"""

import asyncio
import math
from typing import Final, Protocol

STEP_S: Final = 0.25
STEPS_AN_INTERVAL: Final = 8
"""An interval has at least this many steps, so a short interval has shorter steps."""


class Pinged(Protocol):
    """A connection. `awaits_pong` is true from a ping until the client answers."""

    closed: bool
    awaits_pong: bool

    def ping(self) -> None: ...

    def miss_pong(self) -> None:
        """Called when no answer arrived in time."""


class Pings:
    """Pings all connections.

    Each connection is pinged every `interval_s`, and given up after `timeout_s` without an answer.
    Both are rounded up to a step.
    """

    def __init__(self, interval_s: float, timeout_s: float) -> None:
        self._step_s = min(STEP_S, interval_s / STEPS_AN_INTERVAL, timeout_s)
        self._interval = math.ceil(interval_s / self._step_s)
        self._timeout = math.ceil(timeout_s / self._step_s)
        self._now = 0
        self._due: dict[int, list[Pinged]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: Pinged) -> None:
        """Ping a connection until it is closed."""
        self._at(self._now + self._interval, connection)
        if self._timer is None:
            self._wind()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._due.clear()

    def _at(self, step: int, connection: Pinged) -> None:
        self._due.setdefault(step, []).append(connection)

    def _wind(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._step_s, self._tick)

    def _tick(self) -> None:
        self._now += 1
        for connection in self._due.pop(self._now, ()):
            if connection.closed:
                continue
            if connection.awaits_pong:
                connection.miss_pong()
            else:
                self._ping(connection)
        self._timer = None
        if self._due:
            self._wind()

    def _ping(self, connection: Pinged) -> None:
        connection.awaits_pong = True
        connection.ping()
        self._at(self._now + max(self._interval, self._timeout), connection)
