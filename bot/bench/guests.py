"""Guests on an arena who play what they are told, and note when things arrive."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final, Self, TypeVar

import aiohttp

from bot import wire
from bot.bench.clients.frames import (
    Answer,
    Connection,
    ConnectionLost,
    Json,
    OnEvent,
    Refused,
    is_event,
    payload,
)
from bot.errors import HostError

WELCOME_S: Final = 60.0
PATIENCE_S: Final = 300.0
"""How long a guest asks again who is told to wait."""
WAIT_S: Final = 0.5
COME_BACK_LATER: Final = frozenset({"rate_limited", "too_many", "http_429", "http_503"})

T = TypeVar("T")


class Guest:
    """One connection; `on_game` gets the text and the arrival of each `game` or `change` event.

    With `changes` the guest logs in with `"events": "new"`. Refusals are counted in `refusals` by
    their code.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        on_game: OnEvent,
        refusals: Counter[str] | None = None,
        changes: bool = False,
    ) -> None:
        self.name = ""
        self.guest_key: str | None = None
        self._session = session
        self._on_game = on_game
        self._form = {"events": "new"} if changes else {}
        self._refusals: Counter[str] = Counter() if refusals is None else refusals
        self._welcomed = asyncio.Event()
        self._welcomed_at: float | None = None
        self._connection: Connection | None = None

    async def enter(self, address: str) -> Self:
        """Come in as a new guest, as often as it takes. Raises PeerError or HostError."""
        await self._patiently(lambda: self.enter_once(address))
        return self

    async def enter_once(self, address: str, guest_key: str | None = None) -> float:
        """The moment of the welcome. Raises ConnectionLost or Refused."""
        auth = {"v": wire.VERSION, "guest_key": guest_key, **self._form}
        connection = await Connection.open(self._session, address, auth, self._event)
        self._connection = connection
        waiting = {asyncio.create_task(each) for each in (self._welcomed.wait(), connection.lost())}
        await asyncio.wait(waiting, timeout=WELCOME_S, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        if self._welcomed_at is None:
            raise ConnectionLost("let in and never welcomed")
        return self._welcomed_at

    async def leave(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def ask(self, event: str, **fields: object) -> Answer:
        """Send an event, again if the arena says later; its acknowledgement.

        Raises Refused or ConnectionLost, and HostError if it has said so for five minutes.
        """
        assert self._connection is not None
        connection, message = self._connection, {"v": wire.VERSION, **fields}
        return await self._patiently(lambda: connection.ask(event, message))

    async def challenge(self, opponent: str, setup: Json) -> str:
        """Challenge somebody; the challenge's id."""
        seats = [self.name, opponent]
        answer = await self.ask("challenge.create", setup=setup, seats=seats)
        return str(answer.fields["challenge"]["challenge_id"])

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await attempt()
            except Refused as refused:
                self._refusals[refused.code] += 1
                if refused.code not in COME_BACK_LATER:
                    raise
                if time.monotonic() > deadline:
                    raise HostError(f"still refused after {PATIENCE_S:.0f} s: {refused}") from None
                await asyncio.sleep(refused.retry_after_s or WAIT_S)

    def _event(self, text: str, moment: float) -> None:
        if is_event(text, "change") or is_event(text, "game"):
            self._on_game(text, moment)
        elif is_event(text, "welcome"):
            welcome = payload(text)
            self.name, self.guest_key = welcome["you"]["name"], welcome["guest_key"]
            self._welcomed_at = moment
            self._welcomed.set()


def plies_in(message: Json) -> int:
    """How many turns the game of a `game` or `change` event has."""
    return int(message["ply"]) if "ply" in message else len(message["turns"])
