"""`python -m bot.bench.client_process`: the clients of a load test, in a process of their own.

Input and output are lines of JSON. The first line of input is a `Plan`, each one after it is a
request; each is answered by one line. Lines with `notice` come in between: `connected` counts
guests, `game_id` names the game that has begun at the first table. The end of the input ends it.
"""

import asyncio
import gc
import itertools
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Literal

import aiohttp
import orjson
import uvloop
from pydantic import BaseModel

from bot.bench.bounded import a_few_at_once
from bot.bench.frames import Json
from bot.bench.guests import Guest
from bot.bench.sources import Sources, open_sources, source_address
from bot.bench.spectators import Spectators
from bot.bench.tables import Table, Tally
from bot.errors import BluestoneError, PeerError

LONGEST_LINE: Final = 1 << 26
PROGRESS_STEP: Final = 100

Say = Callable[[Json], None]


class Plan(BaseModel):
    """What a process is to be: so many tables, or so many spectators.

    `first` is the number of its first connection in the whole test, from which source addresses
    follow; `games` are the turns that the tables play.
    """

    role: Literal["players", "spectators"]
    address: str
    count: int
    first: int = 0
    setup: Json = {}
    games: list[list[str]] = []
    seed: int = 0


class Players:
    """Tables at which prepared games are played."""

    def __init__(self, plan: Plan, sources: Sources, say: Say) -> None:
        self._tally = Tally()
        sessions = _sessions(plan, 2 * plan.count, sources)
        chance = random.Random(plan.seed)

        def table(number: int) -> Table:
            pair = sessions[2 * number : 2 * number + 2]
            games = itertools.cycle(plan.games[number:] + plan.games[:number])
            told = _to_nobody if number else lambda game_id: say({"notice": {"game_id": game_id}})
            return Table(pair, plan.setup, games, chance, self._tally, told)

        self._tables = [table(number) for number in range(plan.count)]
        self.guests = [guest for table in self._tables for guest in table.guests]

    async def answer(self, request: Json) -> object:
        if request["do"] == "begin":
            await a_few_at_once(self._tables, Table.begin)
            return None
        pause_s, until = request["pause_s"], request["until"]
        self._tally.clear()
        began, used = time.monotonic(), _cpu_s()
        await asyncio.gather(*(table.play(pause_s, until) for table in self._tables))
        busy = (_cpu_s() - used) / (time.monotonic() - began)
        return {"tally": self._tally, "busy": round(busy, 3)}


class Audience:
    """Spectators as requests see them."""

    def __init__(self, plan: Plan, sources: Sources, _say: Say) -> None:
        self._refusals: Counter[str] = Counter()
        self._spectators = Spectators(_sessions(plan, plan.count, sources), self._refusals)
        self.guests = self._spectators.guests

    async def answer(self, request: Json) -> object:
        if request["do"] == "follow":
            await self._spectators.follow(request["game_id"])
            return None
        return {"sightings": self._spectators.sightings(), "refusals": self._refusals}


def _to_nobody(_game_id: str) -> None:
    """Only the first table's games are told."""


def _sessions(plan: Plan, count: int, sources: Sources) -> Sequence[aiohttp.ClientSession]:
    return [
        sources.of_address(source_address(plan.first + number, plan.address))
        for number in range(count)
    ]


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _say(line: Json) -> None:
    options = orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    sys.stdout.buffer.write(orjson.dumps(line, option=options))
    sys.stdout.buffer.flush()


async def _lines() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


async def _serve() -> None:
    lines = await _lines()
    plan = Plan.model_validate_json(await lines.readline())
    async with open_sources() as sources:
        kind = Players if plan.role == "players" else Audience
        clients = kind(plan, sources, _say)
        try:
            await _connect(clients.guests, plan.address)
            while line := await lines.readline():
                _say({"answer": await clients.answer(orjson.loads(line))})
        finally:
            await asyncio.gather(*(guest.leave() for guest in clients.guests))


async def _connect(guests: Sequence[Guest], address: str) -> None:
    def on_progress(count: int) -> None:
        if count % PROGRESS_STEP == 0:
            _say({"notice": {"connected": count}})

    await a_few_at_once(guests, lambda guest: guest.enter(address), on_progress)
    gc.collect()
    gc.freeze()  # the collector would go through thousands of connections again and again
    _say({"answer": len(guests)})


def main() -> int:
    """Its exit code; a failure that is no bug is told in a line."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve())
    except BluestoneError as error:
        code = error.code if isinstance(error, PeerError) else None
        message = error.message if isinstance(error, PeerError) else str(error)
        _say({"failed": {"code": code, "message": message}})
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
