"""The roles of a client process: players and spectators, and its plan."""

import asyncio
import itertools
import random
import resource
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import aiohttp
from pydantic import BaseModel

from bot.bench.clients.frames import Json, payload
from bot.bench.clients.guests import Guest, GuestTable, TableTally, plies_in
from bot.bench.clients.sources import Source, SourceAddresses
from bot.errors import PeerError
from bot.runtime.tasks import a_few_at_once

AT_ONCE: Final = 20
"""How many guests connect, or start to play, at the same time."""


@dataclass(frozen=True)
class Sighting:
    """The number of spectators that saw a turn, and the moments of the median and the last one."""

    game_id: str
    ply: int
    spectators: int
    median: float
    last: float


class WatchingGuests:
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
        """Let all guests follow the game, `at_once` of them at a time. Raises HostError."""

        async def follow(guest: Guest) -> None:
            try:
                await guest.ask("game.watch", game_id=game_id)
            except PeerError as error:
                self._refusals[error.code] += 1

        await a_few_at_once(self.guests, follow, at_once=at_once)

    def sightings(self) -> list[Sighting]:
        """Return every turn that a spectator saw since the last call."""
        found = [
            Sighting(game_id, state_ply - 1, len(moments), statistics.median(moments), max(moments))
            for (game_id, state_ply), moments in self._seen.items()
        ]
        self._seen.clear()
        return found

    def _saw(self, text: str, moment: float) -> None:
        # All spectators get the same text. Comparing it is faster than parsing it each time.
        if text != self._last_text:
            state = payload(text)
            self._last_text, self._last_state = text, (state["game_id"], plies_in(state))
        self._seen[self._last_state].append(moment)


Notify = Callable[[Json], None]


class ClientPlan(BaseModel):
    """The plan of one client process.

    `role` names the class of its role as `module:Class`. `count` is the number of tables if the
    role has tables, else of connections, of which `at_once` are opened at a time. `games` are the
    turns that the tables play, in this order. `path` is the path that the role `Getting` requests.
    With `changes` players and spectators get `change` events.
    """

    role: str
    address: str
    count: int
    sources: list[Source]
    at_once: int = AT_ONCE
    setup: Json = {}
    games: list[list[str]] = []
    seed: int = 0
    path: str = ""
    changes: bool = False


class Role(Protocol):
    """A role of a client process. Its `guests` connect before the first request."""

    guests: Sequence[Guest]

    async def answer(self, request: Json) -> object: ...


def role_name(role: type[Role]) -> str:
    """Return the name of a role's class for a `ClientPlan`."""
    return f"{role.__module__}:{role.__qualname__}"


class Players:
    """Tables at which prepared games are played: the requests `begin` and `play`."""

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        self.tally = TableTally()
        sessions = sources.sessions(plan.sources, 2 * plan.count)
        chance = random.Random(plan.seed)

        def table(number: int) -> GuestTable:
            pair = sessions[2 * number : 2 * number + 2]
            shift = number % len(plan.games)
            games = itertools.cycle(plan.games[shift:] + plan.games[:shift])
            told = _ignore_begin if number else lambda game_id: notify({"game_id": game_id})
            return GuestTable(pair, plan.setup, games, chance, self.tally, told, plan.changes)

        self._tables = [table(number) for number in range(plan.count)]
        self.guests: Sequence[Guest] = [guest for table in self._tables for guest in table.guests]

    async def answer(self, request: Json) -> object:
        if request["do"] == "begin":
            await a_few_at_once(self._tables, GuestTable.begin, at_once=AT_ONCE)
            return None
        return await self.play(request["pause_s"], request["until"])

    async def play(self, pause_s: float, until: float) -> Json:
        """Play at all tables until that moment, and return the events."""
        self.tally.clear()
        began, used = time.monotonic(), _cpu_s()
        await asyncio.gather(*(table.play(pause_s, until) for table in self._tables))
        busy = (_cpu_s() - used) / (time.monotonic() - began)
        return {"tally": self.tally, "busy": round(busy, 3)}


class Audience:
    """Spectators of one game: the requests `follow` and `report`."""

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, _notify: Notify) -> None:
        self._refusals: Counter[str] = Counter()
        self._at_once = plan.at_once
        sessions = sources.sessions(plan.sources, plan.count)
        self._spectators = WatchingGuests(sessions, self._refusals, plan.changes)
        self.guests: Sequence[Guest] = self._spectators.guests

    async def answer(self, request: Json) -> object:
        if request["do"] == "follow":
            await self._spectators.follow(request["game_id"], self._at_once)
            return None
        return {"sightings": self._spectators.sightings(), "refusals": self._refusals}


def _ignore_begin(_game_id: str) -> None:
    """Ignore the start of a game; only games at the first table are reported."""


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
