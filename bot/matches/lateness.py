"""How late this program itself is: what it hears late is no engine's fault."""

from collections import deque
from typing import Final, Protocol

from bot.time_source import TimeSource

STEP_S: Final = 0.02
NOTICED_MS: Final = 5
REMEMBERED: Final = 1000


class Delays(Protocol):
    def worst_ms(self, since: float) -> int:
        """The longest delay of this program after that moment of the monotonic clock."""


class Lateness:
    """Sleeps again and again for a moment, and remembers each time that took much longer."""

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._late: deque[tuple[float, int]] = deque(maxlen=REMEMBERED)

    async def watch(self) -> None:
        """Until cancelled; one for all games of the program."""
        while True:
            began = self._time.monotonic()
            await self._time.sleep(STEP_S)
            now = self._time.monotonic()
            late = round((now - began - STEP_S) * 1000)
            if late >= NOTICED_MS:
                self._late.append((now, late))

    def worst_ms(self, since: float) -> int:
        """See `Delays`."""
        return max((late for moment, late in self._late if moment >= since), default=0)
