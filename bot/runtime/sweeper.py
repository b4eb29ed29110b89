"""Chores that check many things once a second, so that none of them needs its own timer."""

from collections.abc import Callable
from typing import Final

from bot.runtime.alarms import Alarms
from bot.time_source import TimeSource

PERIOD_S: Final = 1.0

Chore = Callable[[float], bool]
"""Do what is due at a moment of `time.monotonic`, and return whether more may become due."""


class Sweeper:
    """Runs its chores once a second while one of them waits for something. `wake` starts it."""

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._alarms = Alarms(time)
        self._chores: list[Chore] = []
        self._is_awake = False

    def now(self) -> float:
        """The present moment as chores get it."""
        return self._time.monotonic()

    def add(self, chore: Chore) -> None:
        self._chores.append(chore)

    def wake(self) -> None:
        if not self._is_awake:
            self._is_awake = True
            self._alarms.set("sweep", self.now() + PERIOD_S, self._sweep)

    async def _sweep(self) -> None:
        self._is_awake = False
        now = self.now()
        is_waited_for = [chore(now) for chore in self._chores]
        if any(is_waited_for):
            self.wake()

    async def close(self) -> None:
        await self._alarms.close()
