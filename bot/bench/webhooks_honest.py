"""Valid calls to a webhook, one after the other: what came of them, and how soon."""

import asyncio
import itertools
import time
from collections.abc import Sequence
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.bench.webhooks_attack import status_of
from tests.lab.webhooks_calls import (
    Caller,
    Signed,
    challenge,
    notice,
    wire,
)

ROUNDS: Final = 20
"""Of the games in notices."""


class Honest:
    """The platform. Names that it tells the bot of are never told twice."""

    def __init__(self, key: Ed25519PrivateKey, host: str, port: int) -> None:
        self.acknowledged: set[str] = set()
        self.failed = 0
        self._caller = Caller(key, time.time)
        self._place = host, port
        self._numbers = itertools.count(1)
        self._answered: list[Signed] = []
        self._times_ms: list[float] = []

    def latest(self, count: int) -> Sequence[Signed]:
        """Calls that the bot has acknowledged."""
        return self._answered[-count:]

    def times_ms(self, after: int = 0) -> Sequence[float]:
        """From before the connection to the status, of all calls but the first ones."""
        return self._times_ms[after:]

    async def go_on(self, pause_s: float) -> None:
        """Call until cancelled."""
        while True:
            await self.call()
            await asyncio.sleep(pause_s)

    async def call(self) -> None:
        """A notice and a challenge by turns."""
        number = next(self._numbers)
        name = f"good-{number}"
        body, right = (notice(name, ROUNDS), 202) if number % 2 else (challenge(name), 200)
        signed = self._caller.signed(body)
        began = time.perf_counter()
        status = await status_of(*self._place, wire(signed.headers, body))
        self._times_ms.append((time.perf_counter() - began) * 1000)
        if status == right:
            self.acknowledged.add(name)
            self._answered.append(signed)
        else:
            self.failed += 1
