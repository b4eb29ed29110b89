"""What a client process can be: the plan that it gets, and players and spectators."""

import asyncio
import itertools
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from pydantic import BaseModel

from bot.bench.clients.bounded import AT_ONCE, a_few_at_once
from bot.bench.clients.frames import Json
from bot.bench.clients.guests import Guest, Table, Tally
from bot.bench.clients.sources import Source, Sources
from bot.bench.spectators import Spectators

Notify = Callable[[Json], None]
RoleName = Literal[
    "players",
    "spectators",
    "entrants",
    "honest",
    "one_key",
    "silent",
    "dripping",
    "wrong_tokens",
    "getting",
]


class Plan(BaseModel):
    """`count` is of tables where there are tables, else of connections; `at_once` come in together.

    `games` are the turns that the tables play, in the order in which they play them; `path` is what
    the role `getting` asks for. With `changes` players and spectators get what is new in a game.
    """

    role: RoleName
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
    """`guests` come in before the first request."""

    guests: Sequence[Guest]

    async def answer(self, request: Json) -> object: ...


class Players:
    """Tables at which prepared games are played: the requests `begin` and `play`."""

    def __init__(self, plan: Plan, sources: Sources, notify: Notify) -> None:
        self.tally = Tally()
        sessions = sources.sessions(plan.sources, 2 * plan.count)
        chance = random.Random(plan.seed)

        def table(number: int) -> Table:
            pair = sessions[2 * number : 2 * number + 2]
            shift = number % len(plan.games)
            games = itertools.cycle(plan.games[shift:] + plan.games[:shift])
            told = _to_nobody if number else lambda game_id: notify({"game_id": game_id})
            return Table(pair, plan.setup, games, chance, self.tally, told, plan.changes)

        self._tables = [table(number) for number in range(plan.count)]
        self.guests: Sequence[Guest] = [guest for table in self._tables for guest in table.guests]

    async def answer(self, request: Json) -> object:
        if request["do"] == "begin":
            await a_few_at_once(self._tables, Table.begin)
            return None
        return await self.play(request["pause_s"], request["until"])

    async def play(self, pause_s: float, until: float) -> Json:
        """What happened at all tables until that moment."""
        self.tally.clear()
        began, used = time.monotonic(), _cpu_s()
        await asyncio.gather(*(table.play(pause_s, until) for table in self._tables))
        busy = (_cpu_s() - used) / (time.monotonic() - began)
        return {"tally": self.tally, "busy": round(busy, 3)}


class Audience:
    """Spectators of one game: the requests `follow` and `report`."""

    def __init__(self, plan: Plan, sources: Sources, _notify: Notify) -> None:
        self._refusals: Counter[str] = Counter()
        self._at_once = plan.at_once
        sessions = sources.sessions(plan.sources, plan.count)
        self._spectators = Spectators(sessions, self._refusals, plan.changes)
        self.guests: Sequence[Guest] = self._spectators.guests

    async def answer(self, request: Json) -> object:
        if request["do"] == "follow":
            await self._spectators.follow(request["game_id"], self._at_once)
            return None
        return {"sightings": self._spectators.sightings(), "refusals": self._refusals}


def _to_nobody(_game_id: str) -> None:
    """Only the first table's games are told."""


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
