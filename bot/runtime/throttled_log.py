"""Log lines that strangers can cause: the first ones in full, then one per minute with a count."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from bot.runtime.sweeper import Sweeper

PERIOD_S: Final = 60.0
MOST_ADDRESSES: Final = 1000
OTHERS: Final = "others"
"""The address in the lines for all addresses beyond MOST_ADDRESSES."""

log = structlog.get_logger()


@dataclass
class _Tally:
    """An address's events since the last summary: `lines` were logged, `held` were not."""

    began: float
    lines: int = 0
    held: int = 0


class ThrottledLog:
    """Logs the first events of an address, and the number of further ones within a minute.

    `count` is called with each event, logged or not.
    """

    def __init__(
        self, sweeper: Sweeper, count: Callable[[str], None] = lambda _event: None
    ) -> None:
        self._sweeper = sweeper
        self._count = count
        self._tallies: dict[tuple[str, str], _Tally] = {}
        sweeper.add(self.sweep)

    def note(self, event: str, address: str, lines: int = 1, **facts: object) -> None:
        """Log an event if it is one of the first `lines` of that address, else count it."""
        self._count(event)
        if len(self._tallies) >= MOST_ADDRESSES and (event, address) not in self._tallies:
            address = OTHERS
        tally = self._tally(event, address)
        if tally.lines < lines:
            tally.lines += 1
            log.info(event, address=address, **facts)
        else:
            tally.held += 1

    def _tally(self, event: str, address: str) -> _Tally:
        if (event, address) not in self._tallies:
            self._tallies[event, address] = _Tally(self._sweeper.now())
            self._sweeper.wake()
        return self._tallies[event, address]

    def sweep(self, now: float) -> bool:
        """Log the summaries that are due; addresses without events are dropped."""
        for (event, address), tally in list(self._tallies.items()):
            if now - tally.began < PERIOD_S:
                continue
            if tally.held:
                log.info(event, address=address, more=tally.held, seconds=PERIOD_S)
                tally.began, tally.held = now, 0
            else:
                del self._tallies[event, address]
        return bool(self._tallies)
