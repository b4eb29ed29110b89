"""A token bucket: bursts are fine, a steady flood is not."""

from bot.time_source import TimeSource


class TokenBucket:
    """Holds up to `burst` tokens and gains `per_second` of them."""

    def __init__(self, per_second: float, burst: int, time: TimeSource) -> None:
        self._per_second = per_second
        self._burst = burst
        self._time = time
        self._tokens = float(burst)
        self._filled_at = time.monotonic()

    def take(self) -> bool:
        """Take one token; False if there is none."""
        now = self._time.monotonic()
        gained = (now - self._filled_at) * self._per_second
        self._tokens = min(self._burst, self._tokens + gained)
        self._filled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
