"""What every stand-in does, however it is reached: time passes, and the bot's webhook is called."""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final

from bot.rehearsal.audit import FORGED
from bot.rehearsal.credentials import Signer, forgery
from bot.rehearsal.notices import Call
from bot.rehearsal.world import Scenario, World
from bot.time_source import TimeSource

ANSWERED: Final = (200, 202, 400)
UNAUTHORIZED: Final = 401
TROUBLE: Final = 500

Reach = Callable[[Mapping[str, str], bytes], Awaitable[int | None]]
"""Calls the webhook with these headers and this body; the answer's status, None if none came."""


class Life:
    """A world with a clock. Whoever asks it something calls `advance` before and `stir` after."""

    def __init__(self, scenario: Scenario, time: TimeSource, reach: Reach) -> None:
        self._time = time
        self._reach = reach
        self._rng = random.Random(scenario.seed)
        self._faults = scenario.faults
        self._calls: set[asyncio.Task[None]] = set()
        self._something = asyncio.Event()
        self._is_frozen = False
        self.signer = Signer(self._rng)
        self.world = World(scenario, self._send)

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self._time.wall().timestamp() * 1000)

    # ---- time ----------------------------------------------------------------------------------

    def people_come(self) -> None:
        """From now on the bot is challenged."""
        self.world.start(self.now())
        self.stir()

    async def go_on(self, idle_s: float = math.inf) -> None:
        """Do what is due, and look again after `idle_s` at the latest; until cancelled."""
        while True:
            self.advance()
            wait_s = min(self._until_due_s(), idle_s)
            self._something.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(None if wait_s == math.inf else wait_s):
                    await self._something.wait()

    def _until_due_s(self) -> float:
        due = None if self._is_frozen else self.world.agenda.next_due
        return math.inf if due is None else max(due - self.now(), 0) / 1000

    def advance(self) -> None:
        """Everything that is due by now."""
        if not self._is_frozen:
            self.world.advance(self.now())

    def stir(self) -> None:
        """Something may be due earlier than it was."""
        self._something.set()

    def freeze(self) -> None:
        """From now on nobody does anything by themselves."""
        self._is_frozen = True

    async def hang_up(self) -> None:
        """End the calls that are under way."""
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    # ---- calls of the bot's webhook ------------------------------------------------------------

    def _send(self, call: Call, now: int) -> None:
        task = asyncio.create_task(self._call(call, now))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _call(self, call: Call, now: int) -> None:
        headers = self.signer.headers(call.body, now)
        if self._rng.random() < self._faults.forged:
            await self._deceive(*forgery(self.signer, call.body, now, self._rng))
        began = self._time.monotonic()
        status = await self._reach(headers, call.body)
        took_ms = round((self._time.monotonic() - began) * 1000)
        self.world.notices.answered(call, status, self.now(), took_ms)
        self.stir()
        # A call that did not get through has left no nonce behind: repeated, it is a good one.
        if status in ANSWERED and self._rng.random() < self._faults.replayed:
            await self._deceive(headers, call.body)

    async def _deceive(self, headers: Mapping[str, str], body: bytes) -> None:
        """A call that has to be refused; one that fails has no effect either."""
        status = await self._reach(headers, body)
        self.world.audit.counts["calls forged"] += 1
        if status is not None and status < TROUBLE and status != UNAUTHORIZED:
            self.world.audit.violation(FORGED, "-", 0, f"answered with {status}")
