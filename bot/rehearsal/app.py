"""The stand-in over HTTP, in real time: what a bot is pointed at instead of the platform."""

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import aiohttp
from aiohttp import web

from bot.rehearsal.answers import Answer
from bot.rehearsal.life import Life
from bot.rehearsal.world import Scenario
from bot.time_source import TimeSource

WEBHOOK_TIMEOUT_S: Final = 30.0
LARGEST_REQUEST: Final = 64 * 1024
IDLE_S: Final = 0.5
"""How long nothing can be due without anybody looking."""


class StandIn:
    """Serves the platform's addresses, and calls the bot's at `webhook`.

    `run` serves until it is cancelled; games begin after `people_come`.
    """

    def __init__(self, scenario: Scenario, webhook: str, time_source: TimeSource) -> None:
        self._time = time_source
        self._webhook = webhook
        self._session: aiohttp.ClientSession | None = None
        self._life = Life(scenario, time_source, self._post)
        self.world = self._life.world

    def now(self) -> int:
        """Milliseconds since 1970."""
        return self._life.now()

    def people_come(self) -> None:
        """From now on the bot is challenged."""
        self._life.people_come()

    async def run(self, listening: socket.socket) -> None:
        """Serve on the socket."""
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        timeout = aiohttp.ClientTimeout(total=WEBHOOK_TIMEOUT_S)
        async with aiohttp.ClientSession(timeout=timeout) as self._session:
            try:
                await web.SockSite(runner, listening).start()
                await self._life.go_on(IDLE_S)
            finally:
                await self._life.hang_up()
                await runner.cleanup()

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
        return web.Response(text=self._life.signer.ssh2_block)

    async def _reply(self, request: web.Request, ask: Callable[[int], Answer]) -> web.Response:
        """Ask now, answer when the answer is due; a cut one closes the connection."""
        self._life.advance()
        answer = ask(self.now())
        self._life.stir()
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
