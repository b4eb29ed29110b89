"""The pace at which the frames of a connection are read."""

import asyncio
from dataclasses import dataclass
from typing import Final

from bot.runtime.token_bucket import TokenBucket
from bot.time_source import SystemTime

IN_A_ROW: Final = 8
"""After this many frames of one connection, other work runs."""


@dataclass(frozen=True)
class Pace:
    """How many frames a connection may send, and how many requests may be unfinished."""

    per_s: float
    burst: int
    unfinished: int = 1


STRANGER: Final = Pace(per_s=2, burst=10)
"""The pace before the login."""


LEAST_PAUSE_S: Final = 0.001


class FrameBudget:
    """Delays the reading of frames that come faster than the pace, by the system's clock."""

    def __init__(self, pace: Pace = STRANGER) -> None:
        self._read = 0
        self.set(pace)

    def set(self, pace: Pace) -> None:
        """Use another pace from now on, beginning with a full burst."""
        self._bucket = TokenBucket(pace.per_s, pace.burst, SystemTime())

    async def take(self) -> None:
        """Count a frame, and return when it may be read."""
        while not self._bucket.take():  # noqa: ASYNC110 - time alone fills it
            await asyncio.sleep(max(LEAST_PAUSE_S, self._bucket.wait_s))
        self._read += 1
        if self._read % IN_A_ROW == 0:
            await asyncio.sleep(0)
