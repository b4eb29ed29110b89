"""Players and tournaments of an arena of several processes: each connection goes to any of them."""

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NoReturn

import aiohttp

from bot.bench.clients.frames import FramesLost, RequestRefused
from bot.errors import HostError
from tests.chaos.cluster_arena import Tables
from tests.chaos.ledger import Json, Ledger
from tests.chaos.players import ASK_AGAIN_S, Address, Player
from tests.chaos.tournaments import Tournaments, TournamentTerms

FORGET_OFFERS_S: Final = 10.0
"""A challenge that was not accepted for so long has ended with the hall that had it."""
REMEMBERED: Final = 300
"""Events of a player that are kept as evidence."""
RESENT: Final = 0.5
"""How often a player sends a turn again whose acknowledgement was lost, instead of another one."""


class ClusterPlayer(Player):
    """A player who thinks from the moment at which the turn before was known, also during a loss
    of the connection.
    """

    def __init__(
        self,
        name: str,
        address: Address,
        ledger: Ledger,
        rng: random.Random,
        pause_s: float,
        login: Json | None = None,
    ) -> None:
        super().__init__(name, address, ledger, rng, pause_s, login)
        self._ready_at: dict[tuple[str, int], float] = {}
        self._since = 0.0
        self.story: deque[str] = deque(maxlen=REMEMBERED)

    async def keep_several(self, opponent: str, setup: Json, games: int) -> NoReturn:
        """Keep that many games with the opponent running."""
        while True:
            running = len(self.games) + len(self._offers)
            if self._offers and time.monotonic() - self._since > FORGET_OFFERS_S:
                self._offers.clear()
            if self.is_here and running < games:
                seats = [self.name, opponent]
                self._rng.shuffle(seats)
                self._since = time.monotonic()
                await self.try_to("challenge.create", setup=setup, seats=seats)
            await asyncio.sleep(ASK_AGAIN_S * self._rng.uniform(0.5, 1.5))

    def _note(self, what: str) -> None:
        self.story.append(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:23] + f" {self.name} {what}")

    async def _stay(self, session: aiohttp.ClientSession) -> None:
        self._note("connects")
        try:
            await super()._stay(session)
        finally:
            self._note("is disconnected")

    def _on_welcome(self, welcome: Json) -> None:
        plies = {state["game_id"]: len(state["turns"]) for state in welcome["games"]}
        self._note(f"is welcomed with {plies}")
        super()._on_welcome(welcome)

    async def ask(self, event: str, **fields: object) -> Json:
        """Raises Refused or ConnectionLost."""
        what = f"{event} {fields.get('game_id')} {fields.get('ply')}"
        self._note(f"asks {what}")
        try:
            answer = await super().ask(event, **fields)
        except (RequestRefused, FramesLost) as error:
            self._note(f"failed {what}: {error}")
            raise
        self._note(f"done {what}")
        return answer

    def ready_at(self, game_id: str, ply: int) -> float:
        """Return the moment until which the player thinks, or thought; 0 if it is not known."""
        return self._ready_at.get((game_id, ply), 0.0)

    async def _think(self, game_id: str, ply: int) -> None:
        thinks_s = self._rng.uniform(0.5, 1.5) * self._pause_s
        now = time.monotonic()
        ready_at = self._ready_at.setdefault((game_id, ply), now + thinks_s)
        await asyncio.sleep(ready_at - now)

    def _choice(self, state: Json, sent: Sequence[str]) -> str:
        again = bool(sent) and self._rng.random() < RESENT
        return sent[-1] if again else super()._choice(state, sent)


class ClusterTournaments(Tournaments):
    """Tournaments whose events are in PostgreSQL. `check` waits while no process has the hall."""

    def __init__(
        self,
        tables: Tables,
        address: Callable[[], str],
        ledger: Ledger,
        host: Player,
        bots: Sequence[Player],
        terms: TournamentTerms,
    ) -> None:
        names = [bot.name for bot in bots]
        super().__init__(None, address, ledger, host, bots, names, terms)
        self._tables = tables

    def _rows(self, statement: str, *values: str) -> list[tuple[str]]:
        return self._tables.rows_now(statement.replace("?", "%s"), *values)

    async def until_readable(self, patience_s: float) -> None:
        """Wait until a process answers for the hall. Raises TimeoutError."""
        async with asyncio.timeout(patience_s):
            while True:
                with suppress(aiohttp.ClientError, OSError, HostError):
                    async with aiohttp.request(
                        "GET", f"{self._address()}/api/tournaments", raise_for_status=True
                    ):
                        return
                await asyncio.sleep(ASK_AGAIN_S)
