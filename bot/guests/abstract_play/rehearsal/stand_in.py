"""The stand-in for the platform, in simulated time or over HTTP in real time."""

import asyncio
import math
import random
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import aiohttp
from aiohttp import web

from bot.guests.abstract_play.rehearsal.agenda import Agenda
from bot.guests.abstract_play.rehearsal.answers import SiteAnswer
from bot.guests.abstract_play.rehearsal.audit import FORGED, Audit
from bot.guests.abstract_play.rehearsal.credentials import Credentials, Signer, forgery
from bot.guests.abstract_play.rehearsal.faults import NONE, Faults, within
from bot.guests.abstract_play.rehearsal.gate import Gate
from bot.guests.abstract_play.rehearsal.notices import Call, Notices, Send
from bot.guests.abstract_play.rehearsal.opponents import Crowd, Habits, Wanted
from bot.guests.abstract_play.rehearsal.site import HostedGame, SimulatedPlayer, Site
from bot.runtime.http_client import NoResponse, fetch, open_session
from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource


@dataclass(frozen=True)
class Scenario:
    """The parameters of a rehearsal. Equal ones have equal results if the bot behaves equally."""

    credentials: Credentials
    wanted: Wanted
    habits: Habits = field(default_factory=Habits)
    faults: Faults = NONE
    people: int = 20
    seed: int = 1


class World:
    """Call `start`, then `advance` whenever `agenda.next_due` comes, and `gate` for the bot.

    `send` gets each call of the webhook when it leaves; `notices.answered` must follow. All moments
    are milliseconds since 1970.
    """

    def __init__(self, scenario: Scenario, send: Send) -> None:
        self.agenda = Agenda()
        self.audit = Audit()
        self._rng = random.Random(scenario.seed)
        self._faults = scenario.faults
        self._bot = SimulatedPlayer(scenario.credentials.client_id, "Rehearsing bot", is_bot=True)
        self.site = Site([self._bot, *_people(scenario.people)], self._rng)
        self.gate = Gate(
            self.site, scenario.credentials, self.agenda, self._faults, self._rng, self.audit
        )
        self.notices = Notices(self.agenda, self._faults, self._rng, self.audit, send)
        self.site.listeners.append(self._changed)
        self.crowd = Crowd(
            self.site,
            self.notices,
            self.agenda,
            self._rng,
            self.audit,
            bot=self._bot,
            wanted=scenario.wanted,
            habits=scenario.habits,
            withdrawn=self._faults.withdrawn,
        )

    def start(self, now: int) -> None:
        self.crowd.fill(now)

    def advance(self, now: int) -> None:
        """Do everything that is due by `now`."""
        self.agenda.advance(now)

    @property
    def finished(self) -> bool:
        """Whether all wanted games have been played to their ends."""
        return self.crowd.satisfied

    def _changed(self, game: HostedGame, now: int) -> None:
        stale = self._rng.random() < self._faults.stale
        if stale:
            self.gate.hide(game, now + within(self._rng, self._faults.stale_ms))
        if game.mover == self._bot.player_id:
            self.notices.turn(game, now, stale=stale)


def _people(number: int) -> list[SimulatedPlayer]:
    return [SimulatedPlayer(f"person-{at:03}", f"Person {at}") for at in range(1, number + 1)]


ANSWERED: Final = (200, 202, 400)
UNAUTHORIZED: Final = 401
TROUBLE: Final = 500

Reach = Callable[[Mapping[str, str], bytes], Awaitable[int | None]]
"""Call the webhook with these headers and this body, and return the status; None if none came."""


class Life:
    """A world with a clock. Its callers call `advance` before each request and `stir` after it."""

    def __init__(self, scenario: Scenario, time: TimeSource, reach: Reach) -> None:
        self._time = time
        self._reach = reach
        self._rng = random.Random(scenario.seed)
        self._faults = scenario.faults
        self._calls = OwnedTasks("call_failed")
        self._something = asyncio.Event()
        self._is_frozen = False
        self.signer = Signer(self._rng)
        self.world = World(scenario, self._send)

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self._time.wall().timestamp() * 1000)

    # ---- time ----------------------------------------------------------------------------------

    def people_come(self) -> None:
        """Let simulated people challenge the bot from now on."""
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
        """Do everything that is due by now."""
        if not self._is_frozen:
            self.world.advance(self.now())

    def stir(self) -> None:
        """Look again, because an action may be due earlier than before."""
        self._something.set()

    def freeze(self) -> None:
        """Stop all actions that people take on their own."""
        self._is_frozen = True

    async def hang_up(self) -> None:
        """End the calls in progress."""
        await self._calls.cancel()

    # ---- calls of the bot's webhook ------------------------------------------------------------

    def _send(self, call: Call, now: int) -> None:
        self._calls.start(self._call(call, now))

    async def _call(self, call: Call, now: int) -> None:
        headers = self.signer.headers(call.body, now)
        if self._rng.random() < self._faults.forged:
            await self._deceive(*forgery(self.signer, call.body, now, self._rng))
        began = self._time.monotonic()
        status = await self._reach(headers, call.body)
        took_ms = round((self._time.monotonic() - began) * 1000)
        self.world.notices.answered(call, status, self.now(), took_ms)
        self.stir()
        # A call that did not arrive has left no nonce behind, so its repetition is valid.
        if status in ANSWERED and self._rng.random() < self._faults.replayed:
            await self._deceive(headers, call.body)

    async def _deceive(self, headers: Mapping[str, str], body: bytes) -> None:
        """Send a call that must be refused. A failure of the call has no effect."""
        status = await self._reach(headers, body)
        self.world.audit.counts["calls forged"] += 1
        if status is not None and status < TROUBLE and status != UNAUTHORIZED:
            self.world.audit.violation(FORGED, "-", 0, f"answered with {status}")


WEBHOOK_TIMEOUT_S: Final = 30.0
LARGEST_REQUEST: Final = 64 * 1024
LARGEST_ANSWER: Final = 64 * 1024
IDLE_S: Final = 0.5
"""Seconds that may pass before a new action is noticed."""


class StandIn:
    """Serves the platform's addresses, and calls the bot's at `webhook`.

    `run` serves until it is cancelled. Games start after `people_come`.
    """

    def __init__(
        self,
        scenario: Scenario,
        webhook: str,
        time_source: TimeSource,
        webhook_s: float = WEBHOOK_TIMEOUT_S,
    ) -> None:
        self._time = time_source
        self._webhook_s = webhook_s
        self._webhook = webhook
        self._session: aiohttp.ClientSession | None = None
        self._life = Life(scenario, time_source, self._post)
        self.world = self._life.world

    def now(self) -> int:
        """Milliseconds since 1970."""
        return self._life.now()

    def people_come(self) -> None:
        """Let simulated people challenge the bot from now on."""
        self._life.people_come()

    def freeze(self) -> None:
        """Stop all actions that people take on their own."""
        self._life.freeze()

    async def run(self, listening: socket.socket) -> None:
        """Serve on the socket."""
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        async with open_session() as self._session:
            try:
                await web.SockSite(runner, listening).start()
                await self._life.go_on(IDLE_S)
            finally:
                await self._life.hang_up()
                await runner.cleanup()

    async def _post(self, headers: Mapping[str, str], body: bytes) -> int | None:
        """Return the status of the answer; None if there was none."""
        assert self._session is not None
        try:
            answer = await fetch(
                self._session,
                "POST",
                self._webhook,
                deadline_s=self._webhook_s,
                limit=LARGEST_ANSWER,
                body=body,
                headers=headers,
            )
        except NoResponse:
            return None
        return answer.status

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

        def ask(now: int) -> SiteAnswer:
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

    async def _reply(self, request: web.Request, ask: Callable[[int], SiteAnswer]) -> web.Response:
        """Ask now and answer when the answer is due. A cut answer closes the connection."""
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
