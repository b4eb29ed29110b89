"""Who can wait for an engine, as opposed to games whose clocks run down meanwhile."""

import asyncio
from typing import Final, Protocol

from bot.engines.budget import Budget

URGENT_S: Final = 60.0
"""So long before it is due, a turn that could wait until then is like any other."""


class Patience(Protocol):
    """A turn that may wait, and then begins with the budget of that moment."""

    wanted: asyncio.Event
    """Set by whoever needs the engine more; the search is broken off, and waits again."""

    @property
    def due(self) -> float:
        """On the monotonic clock: who is due first gets an engine first."""

    @property
    def latest(self) -> float:
        """On the monotonic clock: until then an engine is waited for."""

    def begin(self) -> Budget:
        """An engine is there; its time counts from now."""

    def interrupted(self) -> None:
        """It has been broken off; `begin` will be called again."""


def can_wait(patience: Patience | None, now: float) -> bool:
    return patience is not None and patience.due - now >= URGENT_S
