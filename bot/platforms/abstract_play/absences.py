"""When a game that the platform does not find is taken for gone.

It answers `no such game` and `something is wrong here` alike, so that one such answer says nothing.
"""

from dataclasses import dataclass
from typing import Final

from bot.time_source import TimeSource

GONE_AFTER_S: Final = 600.0
GONE_AFTER_MISSES: Final = 3
REMEMBERED: Final = 1000


@dataclass(slots=True)
class _Absence:
    first_at: float
    counted_at: float
    misses: int = 1


class Absences:
    """A miss counts if other questions were answered since the one before it."""

    def __init__(self, time_source: TimeSource) -> None:
        self._time = time_source
        self._answered_at: float | None = None
        self._missing: dict[str, _Absence] = {}

    def answered(self, *seen: str) -> None:
        """A question was answered, and showed those games."""
        self._answered_at = self._time.monotonic()
        for game_id in seen:
            self._missing.pop(game_id, None)

    def missed(self, game_id: str) -> bool:
        """The game was not found; whether it is gone."""
        now = self._time.monotonic()
        absence = self._missing.get(game_id)
        if absence is None:
            self._remember(game_id, _Absence(now, now))
            return False
        if self._answered_at is not None and self._answered_at > absence.counted_at:
            absence.misses += 1
            absence.counted_at = now
        return absence.misses >= GONE_AFTER_MISSES and now - absence.first_at >= GONE_AFTER_S

    def _remember(self, game_id: str, absence: _Absence) -> None:
        self._missing[game_id] = absence
        if len(self._missing) > REMEMBERED:
            del self._missing[next(iter(self._missing))]
