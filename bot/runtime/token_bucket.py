"""A token bucket: it allows bursts and limits the steady rate."""

from typing import Final

from bot.time_source import TimeSource

BUCKET_BYTES: Final = 320
"""What a bucket takes in memory, without the shared source of time."""


class TokenBucket:
    """Holds up to `burst` tokens and gains `per_second` tokens each second."""

    def __init__(self, per_second: float, burst: int, time: TimeSource) -> None:
        self._per_second = per_second
        self._burst = burst
        self._time = time
        self._tokens = float(burst)
        self._filled_at = time.monotonic()

    def take(self, tokens: int = 1) -> bool:
        """Take that many tokens, at most `burst`; else take none and return False."""
        self._fill()
        needed = min(tokens, self._burst)
        if self._tokens < needed:
            return False
        self._tokens -= needed
        return True

    def charge(self, tokens: int) -> None:
        """Take tokens for what was done already; at most `burst` are owed then."""
        self._fill()
        self._tokens = max(self._tokens - tokens, -float(self._burst))

    def give_back(self) -> None:
        """Return a token that was not needed."""
        self._fill()
        self._tokens = min(self._burst, self._tokens + 1)

    @property
    def wait_s(self) -> float:
        """The seconds until there is a token; 0 if there is one."""
        return self.wait_for(1)

    def wait_for(self, tokens: int) -> float:
        """The seconds until that many tokens can be taken."""
        self._fill()
        return max(0.0, min(tokens, self._burst) - self._tokens) / self._per_second

    def _fill(self) -> None:
        now = self._time.monotonic()
        gained = (now - self._filled_at) * self._per_second
        self._tokens = min(self._burst, self._tokens + gained)
        self._filled_at = now
