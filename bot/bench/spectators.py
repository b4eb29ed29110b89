"""Connections that follow one game, and note when each turn of it reaches them."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp

from bot.bench.clients.bounded import AT_ONCE, a_few_at_once
from bot.bench.clients.frames import payload
from bot.bench.clients.guests import Guest, plies_in
from bot.errors import PeerError


@dataclass(frozen=True)
class Sighting:
    """How many spectators saw a turn, and when the median one and the last one did."""

    game_id: str
    ply: int
    spectators: int
    median: float
    last: float


class Spectators:
    """Guests who only watch. Refusals are counted in `refusals`."""

    def __init__(
        self,
        sessions: Sequence[aiohttp.ClientSession],
        refusals: Counter[str],
        changes: bool = False,
    ) -> None:
        self._seen: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        self._last_text = ""
        self._last_state = ("", 0)
        self.guests = [Guest(session, self._saw, refusals, changes) for session in sessions]
        self._refusals = refusals

    async def follow(self, game_id: str, at_once: int = AT_ONCE) -> None:
        """All of them, so many at the same time. Raises HostError."""

        async def follow(guest: Guest) -> None:
            try:
                await guest.ask("game.watch", game_id=game_id)
            except PeerError as error:
                self._refusals[error.code] += 1

        await a_few_at_once(self.guests, follow, at_once=at_once)

    def sightings(self) -> list[Sighting]:
        """Every turn that anybody saw; begins anew."""
        found = [
            Sighting(game_id, state_ply - 1, len(moments), statistics.median(moments), max(moments))
            for (game_id, state_ply), moments in self._seen.items()
        ]
        self._seen.clear()
        return found

    def _saw(self, text: str, moment: float) -> None:
        # All of them get the same text; comparing is quicker than reading it each time.
        if text != self._last_text:
            state = payload(text)
            self._last_text, self._last_state = text, (state["game_id"], plies_in(state))
        self._seen[self._last_state].append(moment)
