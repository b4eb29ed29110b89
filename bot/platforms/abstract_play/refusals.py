"""Lines about calls that were refused: anybody can make many, and the log stays short."""

from collections import Counter
from typing import Final

import structlog

from bot.time_source import TimeSource

PERIOD_S: Final = 60.0

log = structlog.get_logger()


class Refusals:
    """One line a minute for each code, with how many were not told since the last one."""

    def __init__(self, time_source: TimeSource) -> None:
        self._time = time_source
        self._told: dict[str, float] = {}
        self._held: Counter[str] = Counter()

    def note(self, status: int, code: str, why: str) -> None:
        """Codes are ours, and few."""
        now = self._time.monotonic()
        told = self._told.get(code)
        if told is not None and now - told < PERIOD_S:
            self._held[code] += 1
            return
        self._told[code] = now
        log.warning("call_refused", status=status, code=code, why=why, more=self._held.pop(code, 0))
