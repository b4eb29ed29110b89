"""Delays between retries: doubling, with jitter, up to a limit."""

import random


class Backoff:
    """Delays in seconds. Each is between half and the whole of a step that doubles.

    The jitter prevents a thousand bots from reconnecting to a restarted server at the same moment.
    """

    def __init__(self, first_s: float, limit_s: float, rng: random.Random) -> None:
        self._first_s = first_s
        self._limit_s = limit_s
        self._rng = rng
        self.attempts = 0

    def next(self) -> float:
        # The exponent is bounded because a float is: attempts continue for weeks.
        step = min(self._limit_s, self._first_s * 2.0 ** min(self.attempts, 40))
        self.attempts += 1
        return step * self._rng.uniform(0.5, 1.0)

    def reset(self) -> None:
        self.attempts = 0
