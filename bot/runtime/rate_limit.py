"""A token bucket for each address, or for each player."""

from typing import Final

from bot.runtime.bounded import BoundedMemory
from bot.runtime.token_bucket import BUCKET_BYTES, TokenBucket
from bot.time_source import TimeSource

BUCKETS_BYTES: Final = 6_000_000
"""About 10,000 addresses."""


class AddressBuckets:
    """A bucket for each address; beyond `most_bytes` the least recently used one is dropped."""

    def __init__(
        self, per_second: float, burst: int, time: TimeSource, most_bytes: int = BUCKETS_BYTES
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._time = time
        self._buckets: BoundedMemory[str, TokenBucket] = BoundedMemory(
            most_bytes, lambda _: BUCKET_BYTES
        )

    def of(self, address: str) -> TokenBucket:
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = TokenBucket(self._per_second, self._burst, self._time)
        self._buckets.put(address, bucket)
        return bucket
