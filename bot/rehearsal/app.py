"""The stand-in over HTTP, in real time: what a bot is pointed at instead of the platform."""

import asyncio
import random
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import aiohttp
from aiohttp import web

from bot.rehearsal.answers import Answer
from bot.rehearsal.audit import FORGED
from bot.rehearsal.forgeries import forgery
from bot.rehearsal.notices import Call
from bot.rehearsal.signing import Signer
from bot.rehearsal.world import Scenario, World
from bot.time_source import TimeSource

WEBHOOK_TIMEOUT_S: Final = 30.0
LARGEST_REQUEST: Final = 64 * 1024
ANSWERED: Final = (200, 202, 400)
UNAUTHORIZED: Final = 401
TROUBLE: Final = 500
IDLE_S: Final = 0.5
"""How long nothing can be due without anybody looking."""


class StandIn:
    """Serves the platform's addresses, and calls the bot's at `webhook`.

    `run` serves until it is cancelled; games begin after `people_come`.
    """

    def __init__(self, scenario: Scenario, webhook: str, time_source: TimeSource) -> None:
        self._time = time_source
        self._webhook = webhook
        self._rng = random.Random(scenario.seed)
        self._signer = Signer(self._rng)
        self._faults = scenario.faults
        self._calls: set[asyncio.Task[None]] = set()
        self._session: aiohttp.ClientSession | None = None
        self._something = asyncio.Event()
        self.world = World(scenario, self._send)

    @property
    def public_key(self) -> str:
        return self._signer.ssh2_block

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self._time.wall().timestamp() * 1000)

    def people_come(self) -> None:
        """From now on the bot is challenged."""
        self.world.start(self.now())
        self._something.set()

    async def run(self, listening: socket.socket) -> None:
        """Serve on the socket."""
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        timeout = aiohttp.ClientTimeout(total=WEBHOOK_TIMEOUT_S)
        async with aiohttp.ClientSession(timeout=timeout) as self._session:
            try:
                await web.SockSite(runner, listening).start()
                await self._live()
            finally:
                await self._hang_up()
                await runner.cleanup()

    async def _live(self) -> None:
        while True:
            self.world.advance(self.now())
            due = self.world.agenda.next_due
            wait = IDLE_S if due is None else min(max(due - self.now(), 0) / 1000, IDLE_S)
            self._something.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._something.wait(), wait)

    async def _hang_up(self) -> None:
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    # ---- calls of the bot's webhook ---------------------------------------------------------

    def _send(self, call: Call, now: int) -> None:
        task = asyncio.create_task(self._call(call, now))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _call(self, call: Call, now: int) -> None:
        headers = self._signer.headers(call.body, now)
        if self._rng.random() < self._faults.forged:
            await self._deceive(*forgery(self._signer, call.body, now, self._rng))
        began = self._time.monotonic()
        status = await self._post(headers, call.body)
        took = round((self._time.monotonic() - began) * 1000)
        self.world.notices.answered(call, status, self.now(), took)
        self._something.set()
        # A call that did not get through has left no nonce behind: repeated, it is a good one.
        if status in ANSWERED and self._rng.random() < self._faults.replayed:
            await self._deceive(headers, call.body)

    async def _deceive(self, headers: Mapping[str, str], body: bytes) -> None:
        """A call that has to be refused; one that fails has no effect either."""
        status = await self._post(headers, body)
        self.world.audit.counts["calls forged"] += 1
        if status is not None and status < TROUBLE and status != UNAUTHORIZED:
            self.world.audit.violation(FORGED, "-", 0, f"answered with {status}")

    async def _post(self, headers: Mapping[str, str], body: bytes) -> int | None:
        """The status of the answer; None if there was none."""
        assert self._session is not None
        with suppress(aiohttp.ClientError, TimeoutError):
            async with self._session.post(self._webhook, data=body, headers=headers) as answer:
                return answer.status
        return None

    # ---- requests of the bot ----------------------------------------------------------------

    def _application(self) -> web.Application:
        app = web.Application(client_max_size=LARGEST_REQUEST)
        app.router.add_post("/oauth2/token", self._token)
        app.router.add_post("/botQuery", self._bot_query)
        app.router.add_post("/query", self._query)
        app.router.add_get("/query", self._query_by_get)
        app.router.add_get("/ap-public-key.txt", self._key)
        return app

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        return await self._reply(request, lambda now: self.world.gate.token(form, now))

    async def _bot_query(self, request: web.Request) -> web.Response:
        body = await request.read()
        authorization = request.headers.get("Authorization", "")

        def ask(now: int) -> Answer:
            return self.world.gate.bot_query(authorization, request.content_type, body, now)

        return await self._reply(request, ask)

    async def _query(self, request: web.Request) -> web.Response:
        body = await request.read()
        return await self._reply(request, lambda now: self.world.gate.query(body, now))

    async def _query_by_get(self, request: web.Request) -> web.Response:
        pars = dict(request.query)
        name = pars.pop("query", "")
        return await self._reply(request, lambda now: self.world.gate.ask(name, pars, now))

    async def _key(self, _request: web.Request) -> web.Response:
        return web.Response(text=self.public_key)

    async def _reply(self, request: web.Request, ask: Callable[[int], Answer]) -> web.Response:
        """Ask now, answer when the answer is due; a cut one closes the connection."""
        self.world.advance(self.now())
        answer = ask(self.now())
        self._something.set()
        await self._time.sleep(answer.after_ms / 1000)
        if answer.status is None:
            assert request.transport is not None
            request.transport.abort()
            raise asyncio.CancelledError
        return web.Response(
            status=answer.status,
            body=answer.body,
            headers={"Content-Type": "application/json", **answer.headers},
        )
