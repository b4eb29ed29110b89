"""Fills the memories of an arena in a process of its own, and prints what each takes.

    python -m tests.nightly.filling

The rows are JSON: the name, the budget and what the memory says that it takes, and by how much the
process grew. The first row is for all of them together.
"""

import asyncio
import gc
import importlib
import itertools
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import engine
from bot import wire
from bot.arena.analysis.free_positions import FreePositions
from bot.arena.games import referee
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game import Game
from bot.arena.games.game_start import new_game
from bot.arena.http.documents import DocumentCache
from bot.arena.settings import Allowances
from bot.runtime.bounded import BoundedMemory
from bot.runtime.rate_limit import AddressBuckets
from bot.runtime.workers import Workers
from bot.time_controls import Untimed
from tests.fakes.time import FakeTime
from tests.house import memories
from tests.house.test_memories import BUDGETS_OF_OBJECTS
from tests.large_positions import spread_hexo

Memory = BoundedMemory[Any, Any]
MORE: Final = 5
PLAYERS: Final = (
    wire.Player(id="first", name="First", kind="guest"),
    wire.Player(id="second", name="Second", kind="guest"),
)
EVALUATED: Final = wire.TurnInfo(value=0.5, visits=1, pv=["12:34,56:78"] * 33, source="engine")


@dataclass(frozen=True)
class Filled:
    """A memory that is full, and by how many bytes the process grew."""

    name: str
    budget: int
    said: int
    grown: int


def resident() -> int:
    """The bytes of this process in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def fill(memory: Memory, add: Callable[[int], Awaitable[None]]) -> Memory:
    """Add entries until the memory is full, and a few more."""
    last, forgotten = 0, 0
    for number in itertools.count():
        await add(number)
        forgotten += memory.bytes <= last
        last = memory.bytes
        if forgotten >= MORE:
            break
    return memory


async def positions() -> Memory:
    """Positions of HeXO, each with a limit of turns of its own."""
    free = FreePositions(READY, Workers())

    async def add(number: int) -> None:
        setup = wire.AnalysisSetup(game="hexo", options={"cap": 300 + number % 1500})
        await free.after(setup, spread_hexo(200, number))

    return await fill(free._known, add)


async def views() -> Memory:
    """The legal steps of large positions of HeXO, and the reasons why others are illegal."""
    hexo = engine.game("hexo").replay(spread_hexo(200))
    legal = hexo.choices().legal

    async def add(number: int) -> None:
        referee.legal_view(hexo, (legal[number],))

    return await fill(referee._views, add)


async def finished_games() -> Memory:
    """Games of HeXO of 290 turns, each evaluated by an engine, as states were sent of them."""
    finished = FinishedGames(NOTHING, None, Allowances(), READY, Workers())
    turns = spread_hexo(290)

    async def add(number: int) -> None:
        game = long_game(f"game-{number}", turns, 300 + number % 1500)
        for turn in game.turns:
            assert turn.as_json
            assert turn.without_line.as_json
        finished.keep(game)

    return await fill(finished._latest, add)


def long_game(game_id: str, turns: list[str], cap: int) -> Game:
    setup = wire.GameSetup(game="hexo", board="plane", options={"cap": str(cap)}, clock=Untimed())
    game = new_game(game_id, setup, PLAYERS, Allowances(), datetime.now(UTC), 0.0)
    position = game.position.game.replay(turns)
    played = tuple(
        wire.PlayedTurn(
            turn="".join(turn),
            captured=[],
            time_ms=1000 + number,
            clock=game.clocks[0],
            info=EVALUATED.model_copy(update={"pv": [f"{number}:{each}" for each in range(33)]}),
        )
        for number, turn in enumerate(position.turns)
    )
    return replace(game, position=position, view=referee.view(position), turns=played)


async def documents(budget: int) -> Memory:
    cache = DocumentCache(budget)

    async def add(number: int) -> None:
        async def body() -> bytes:
            return os.urandom(1_000_000)

        await cache.get((number, tuple(spread_hexo(200))), 0, body)

    return await fill(cache._kept, add)


async def addresses(budget: int) -> Memory:
    buckets = AddressBuckets(1, 1, FakeTime(), budget)

    async def add(number: int) -> None:
        buckets.of(f"2001:db8::{number:x}:{number:x}")

    return await fill(buckets._buckets, add)


def others() -> Iterator[tuple[str, int]]:
    """The name and the budget of each other memory of the arena."""
    ours = {"referee", "documents", "rate_limit", "finished_games", "free_positions"}
    for made in memories.made("bot", "BoundedMemory"):
        module = made.module.rpartition(".")[2]
        if made.module.startswith("bot.arena.") and module not in ours:
            yield (
                f"{module} {made.budget}",
                getattr(importlib.import_module(made.module), made.budget or ""),
            )


async def with_players(budget: int) -> Memory:
    memory = BoundedMemory[str, wire.Player](budget)

    async def add(number: int) -> None:
        name = f"player {number}"
        memory.put(name, wire.Player(id=f"id-{number}", name=name, kind="guest"))

    return await fill(memory, add)


class Ready:
    """All games are compiled."""

    def check(self, game: str) -> None:
        """See `Preparation.check`."""


NOTHING: Any = None
READY: Any = Ready()


async def main() -> None:
    kinds: dict[str, Callable[[], Awaitable[Memory]]] = {
        each.__name__: each for each in (positions, views, finished_games)
    }
    for name, fill_one in {"AddressBuckets": addresses, "DocumentCache": documents}.items():
        for number, budget in enumerate(BUDGETS_OF_OBJECTS[name]):
            kinds[f"{name} {number}"] = partial(fill_one, budget)
    (await positions()).clear()  # what a process needs once
    began, kept, rows = resident(), list[Memory](), list[Filled]()
    for name, make in kinds.items():
        kept.append(await measured(name, make, rows))
    for name, budget in others():
        kept.append(await measured(name, partial(with_players, budget), rows))
    budget, said = (sum(getattr(each, name) for each in kept) for name in ("most_bytes", "bytes"))
    total = Filled("all", budget, said, resident() - began)
    print(json.dumps([each.__dict__ for each in (total, *rows)]))


async def measured(name: str, make: Callable[[], Awaitable[Memory]], rows: list[Filled]) -> Memory:
    before = resident()
    memory = await make()
    rows.append(Filled(name, memory.most_bytes, memory.bytes, resident() - before))
    print(rows[-1], file=sys.stderr, flush=True)
    return memory


if __name__ == "__main__":
    asyncio.run(main())
