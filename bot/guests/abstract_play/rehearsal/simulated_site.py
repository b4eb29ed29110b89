"""The stand-in of Abstract Play in simulated time, without sockets.

It answers the bot's requests and calls the bot's webhook.
"""

import asyncio
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from bot.guests.abstract_play.calls import HttpResponse, retry_after_s
from bot.guests.abstract_play.rehearsal import answers
from bot.guests.abstract_play.rehearsal.stand_in import Life, Scenario
from bot.guests.abstract_play.webhooks import Webhooks
from bot.platforms.base import NoAnswer
from bot.runtime import one_call_server
from bot.runtime.simulated_time import SimulatedTime

BASE: Final = "http://stand-in/"
TOKEN_URL: Final = f"{BASE}oauth2/token"
WEBHOOK_S: Final = 30.0


class SimulatedSite:
    """The simulated platform. `live` runs until cancelled; webhook calls need `reached` first."""

    def __init__(self, scenario: Scenario, time: SimulatedTime) -> None:
        self._time = time
        self._answering: set[asyncio.Task[one_call_server.CallReply]] = set()
        self._webhooks: Webhooks | None = None
        self._life = Life(scenario, time, self._told)
        self.signer = self._life.signer
        self.world = self._life.world

    def now(self) -> int:
        """Milliseconds since 1970."""
        return self._life.now()

    async def live(self) -> None:
        """Let simulated people arrive and play."""
        self._life.people_come()
        await self._life.go_on()

    def freeze(self) -> None:
        """Stop all actions that people and the platform take on their own."""
        self._life.freeze()

    # ---- requests of the bot -------------------------------------------------------------------

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], limit: int
    ) -> HttpResponse:
        """Answer a request of the bot, as a `Poster` does. Raises NoAnswer."""
        self._life.advance()
        answer = self._asked(url, body, headers)
        self._life.stir()
        await self._time.sleep(answer.after_ms / 1000)
        if answer.status is None:
            raise NoAnswer("the connection was cut")
        if len(answer.body) > limit:
            raise NoAnswer(f"the answer is longer than {limit} bytes")
        pause_s = retry_after_s(answer.headers.get("Retry-After", ""), self._time.wall())
        return HttpResponse(answer.status, answer.body, pause_s)

    def _asked(self, url: str, body: bytes, headers: Mapping[str, str]) -> answers.SiteAnswer:
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
        """The bot serves its webhook from now on."""
        self._webhooks = webhooks

    def lost(self) -> None:
        """The bot's machine is off: webhook calls fail, including those in progress."""
        self._webhooks = None
        for answering in self._answering:
            answering.cancel()

    async def _told(self, headers: Mapping[str, str], body: bytes) -> int | None:
        """Return the status of the bot's answer; None if there was none."""
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
