"""The platform's clocks: hours in challenges and records, milliseconds on the clock."""

from dataclasses import dataclass
from typing import Final

HOUR_MS: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class ClockTerms:
    """`start`, `inc` and `most` in hours; an hour has `hour_ms`, so that rehearsals can hurry."""

    start: int
    inc: int
    most: int
    hard: bool = False
    hour_ms: int = HOUR_MS

    @property
    def start_ms(self) -> int:
        return self.start * self.hour_ms

    def after(self, left: int, used: int) -> int:
        """What a player has after a move for which they needed `used` of `left` milliseconds.

        The increment alone if the time had run out and nobody claimed it.
        """
        increment = self.inc * self.hour_ms
        if used > left:
            return increment
        return min(self.most * self.hour_ms, left - used + increment)

    def hours(self, milliseconds: int) -> int:
        return round(milliseconds / self.hour_ms)
