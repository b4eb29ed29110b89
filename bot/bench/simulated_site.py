"""The stand-in of Abstract Play in simulated time, and without sockets: what the bot asks of it,
and what it tells the bot.
"""

import asyncio
import random
from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from urllib.parse import parse_qsl

from bot.platforms.abstract_play.calls import Answer, retry_after_s
from bot.platforms.abstract_play.webhooks import Webhooks
from bot.platforms.base import NoAnswer
from bot.rehearsal import answers
from bot.rehearsal.audit import FORGED
from bot.rehearsal.forgeries import forgery
from bot.rehearsal.notices import Call
from bot.rehearsal.signing import Signer
from bot.rehearsal.simulated_time import SimulatedTime
from bot.rehearsal.world import Scenario, World
from bot.runtime import one_call_server

BASE: Final = "http://stand-in/"
TOKEN_URL: Final = f"{BASE}oauth2/token"
WEBHOOK_S: Final = 30.0
ANSWERED: Final = (200, 202, 400)
UNAUTHORIZED: Final = 401
TROUBLE: Final = 500


class SimulatedSite:
    """`live` runs until cancelled. Calls of the bot fail unless it is `reached`."""

    def __init__(self, scenario: Scenario, time: SimulatedTime) -> None:
        self._time = time
        self._rng = random.Random(scenario.seed)
        self._faults = scenario.faults
        self._calls: set[asyncio.Task[None]] = set()
        self._answering: set[asyncio.Task[one_call_server.Answer]] = set()
        self._something = asyncio.Event()
        self._is_frozen = False
        self.signer = Signer(self._rng)
        self._webhooks: Webhooks | None = None
        self.world = World(scenario, self._send)

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self._time.wall().timestamp() * 1000)

    async def live(self) -> None:
        """People come and play."""
        self.world.start(self.now())
        while True:
            self._advance()
            due = None if self._is_frozen else self.world.agenda.next_due
            wait_s = None if due is None else max(due - self.now(), 0) / 1000
            self._something.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._something.wait()

    def freeze(self) -> None:
        """From now on nobody does anything by themselves."""
        self._is_frozen = True

    def _advance(self) -> None:
        if not self._is_frozen:
            self.world.advance(self.now())

    # ---- requests of the bot -------------------------------------------------------------------

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limit: int) -> Answer:
        """As `Poster`."""
        self._advance()
        answer = self._asked(url, body, headers)
        self._something.set()
        await self._time.sleep(answer.after_ms / 1000)
        if answer.status is None:
            raise NoAnswer("the connection was cut")
        if len(answer.body) > limit:
            raise NoAnswer(f"the answer is longer than {limit} bytes")
        pause_s = retry_after_s(answer.headers.get("Retry-After", ""), self._time.wall())
        return Answer(answer.status, answer.body, pause_s)

    def _asked(self, url: str, body: bytes, headers: Mapping[str, str]) -> answers.Answer:
        gate, now = self.world.gate, self.now()
        if url == TOKEN_URL:
            return gate.token(dict(parse_qsl(body.decode())), now)
        if url == f"{BASE}query":
            return gate.query(body, now)
        assert url == f"{BASE}botQuery"
        authorization = headers.get("Authorization", "")
        return gate.bot_query(authorization, headers["Content-Type"], body, now)

    # ---- calls of the bot's webhook ------------------------------------------------------------

    def reached(self, webhooks: Webhooks) -> None:
        """The bot listens."""
        self._webhooks = webhooks

    def lost(self) -> None:
        """The bot's machine is off: nobody answers, not even a call that is under way."""
        self._webhooks = None
        for answering in self._answering:
            answering.cancel()

    def _send(self, call: Call, now: int) -> None:
        task = asyncio.create_task(self._call(call, now))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _call(self, call: Call, now: int) -> None:
        headers = self.signer.headers(call.body, now)
        if self._rng.random() < self._faults.forged:
            await self._deceive(*forgery(self.signer, call.body, now, self._rng))
        began = self._time.monotonic()
        status = await self._told(headers, call.body)
        took_ms = round((self._time.monotonic() - began) * 1000)
        self.world.notices.answered(call, status, self.now(), took_ms)
        self._something.set()
        if status in ANSWERED and self._rng.random() < self._faults.replayed:
            await self._deceive(headers, call.body)

    async def _deceive(self, headers: Mapping[str, str], body: bytes) -> None:
        """A call that has to be refused."""
        status = await self._told(headers, body)
        self.world.audit.counts["calls forged"] += 1
        if status is not None and status < TROUBLE and status != UNAUTHORIZED:
            self.world.audit.violation(FORGED, "-", 0, f"answered with {status}")

    async def _told(self, headers: Mapping[str, str], body: bytes) -> int | None:
        """The status of the bot's answer; None if there was none."""
        if self._webhooks is None:
            return None
        call = one_call_server.Call("POST", headers, body)
        answering = asyncio.create_task(self._webhooks.answer(call))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)
        await asyncio.wait({answering}, timeout=WEBHOOK_S)
        if not answering.done() or answering.cancelled():
            return None
        return answering.result().status
