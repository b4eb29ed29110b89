"""Maintenance mode: no game starts, and those that run are played to their end.

`bot.arena.operator.moderation` reads the operator's plan from the database and sets it here.
"""

from collections.abc import Callable
from typing import Final

from bot import wire
from bot.arena.refusals import Refused
from bot.time_source import TimeSource

ASK_AGAIN_S: Final = 60.0
RULE: Final = "maintenance"


class MaintenanceMode:
    """What is planned in this process; `on_change` is called after each change."""

    def __init__(self, time: TimeSource) -> None:
        self.planned: wire.Maintenance | None = None
        self.on_change: list[Callable[[], None]] = []
        self._time = time

    def set(self, planned: wire.Maintenance | None) -> None:
        """Take over a plan, or its end (None)."""
        if planned != self.planned:
            self.planned = planned
            for listener in self.on_change:
                listener()

    @property
    def is_on(self) -> bool:
        """Whether no game may start now."""
        return self.planned is not None and self.planned.starts_at <= self._time.wall()

    def check(self) -> None:
        """Raises Refused while no game may start."""
        if self.planned is not None and self.is_on:
            words = f"No new games start, because of maintenance: {self.planned.reason}"
            raise Refused("not_now", words, RULE, ASK_AGAIN_S)
