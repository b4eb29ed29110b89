"""How many frames a connection may send, whatever is in them, before the server reads slower.

Nothing is refused here: what comes too fast is left in the network until its time has come, and so
slows down its sender alone.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

IN_A_ROW: Final = 8
"""So many frames of one connection are read before everybody else has a turn."""


@dataclass(frozen=True)
class Pace:
    per_s: float
    burst: int


STRANGER: Final = Pace(per_s=2, burst=10)
"""Who has not logged in yet has little to say."""


class FrameBudget:
    """Real time: it has to do with the network, and with no game."""

    def __init__(self, pace: Pace = STRANGER) -> None:
        self._loop = asyncio.get_running_loop()
        self._read = 0
        self.set(pace)

    def set(self, pace: Pace) -> None:
        """From now on another pace counts, with a whole burst at the beginning."""
        self._pace = pace
        self._frames = float(pace.burst)
        self._filled_at = self._loop.time()

    async def take(self) -> None:
        """Count a frame, and wait until it may be read."""
        self._fill()
        if self._frames < 1:
            await asyncio.sleep((1 - self._frames) / self._pace.per_s)
            self._fill()
        self._frames -= 1
        self._read += 1
        if self._read % IN_A_ROW == 0:
            await asyncio.sleep(0)

    def _fill(self) -> None:
        now = self._loop.time()
        gained = (now - self._filled_at) * self._pace.per_s
        self._frames = min(float(self._pace.burst), self._frames + gained)
        self._filled_at = now
