"""Visitors who analyse on their own devices, while games are played on the same arena.

A search on a device costs the arena nothing but what the page asks for. Fifty browsers would take
the processors from the arena that is measured, so one browser opens the analysis board and plays
some turns on it, and fifty visitors repeat its requests, each with a connection of its own. None of
them has anything in a cache.

The games are played four times at the same pace, before as many spectators as there are visitors:
without visitors, while they come, while they look, and without them again. Coming costs the arena
the files of the page; looking is what an analysis on a device costs it.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import aiohttp
from playwright.async_api import Request

from bot.bench.arena_load import arena_under_load, limits_for
from bot.bench.clients.frames import Json
from bot.bench.clients.guests import Guest
from bot.bench.clients.sources import AddressBook, open_sources
from bot.bench.crowd import LoadPlan, OnProgress, crowd
from bot.bench.load_report import Measured
from bot.bench.summary import Times, summary
from bot.errors import HostError
from tests.e2e.browser.chromium import NONE_HERE, PATIENCE_MS, installed, launched

TURNS: Final = 8
TURN_S: Final = 2.0
"""Between two turns of a visitor, who comes to the end of the game and begins again."""
CONNECTIONS: Final = 6
"""With which a browser asks at the same time."""
BEST: Final = ".engine-lines li button"


@dataclass(frozen=True)
class PageRequests:
    """What the page of the analysis board asks for: to open, and after each turn."""

    opening: Sequence[str]
    turns: Sequence[Sequence[str]]


@dataclass(frozen=True)
class DeviceLoad:
    """The turns of the games without visitors and with them, and what the visitors asked for."""

    games: int
    visitors: int
    alone: Measured
    arriving: Measured
    together: Measured
    after: Measured
    opening_requests: int
    requests: int
    failed: int
    request_ms: Times

    @property
    def slowdown(self) -> float:
        """How many times longer the 99th percentile of turns is with visitors who look."""
        alone = (self.alone.arrival_ms.p99 + self.after.arrival_ms.p99) / 2
        return self.together.arrival_ms.p99 / max(alone, 0.01)


class DeviceVisitor(Guest):
    """A guest who opens the analysis board and plays turns on it."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        super().__init__(session, lambda _text, _moment: None, changes=True)
        self._http = session
        self._address = address
        self._free = asyncio.Semaphore(CONNECTIONS)
        self.took_ms: list[float] = []
        self.failed = 0

    async def visit(self, page: PageRequests, begin: float, end: float) -> None:
        """Come at one moment and look until another one. Raises HostError or PeerError."""
        await asyncio.sleep(begin - time.monotonic())
        await asyncio.gather(self.enter(self._address), *map(self._get, page.opening))
        while True:
            for requests in page.turns:
                if time.monotonic() + TURN_S > end:
                    await self.leave()
                    return
                await asyncio.sleep(TURN_S)
                await asyncio.gather(*map(self._get, requests))

    async def _get(self, path: str) -> None:
        began = time.monotonic()
        async with self._free, self._http.get(self._address + path) as answer:
            await answer.read()
        self.took_ms.append(1000 * (time.monotonic() - began))
        self.failed += not answer.ok


async def page_requests(address: str, setup: Json) -> PageRequests:
    """Open the analysis board in a browser, play turns, and return the paths that it asks for.

    Raises HostError if there is no browser, or the page has no engine.
    """
    chromium = installed()
    if chromium is None:
        raise HostError(NONE_HERE)
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.url.startswith(address):
            asked.append(request.url.removeprefix(address))

    def taken() -> list[str]:
        found = asked.copy()
        asked.clear()
        return found

    async with launched(chromium) as browser:
        page = await browser.new_page(base_url=address, service_workers="block")
        page.set_default_timeout(PATIENCE_MS)
        page.context.on("request", note)
        await page.goto(f"/analysis#game={setup['game']}&board={setup['board']}")
        await page.wait_for_selector(BEST)
        await page.wait_for_load_state("networkidle")
        opening, turns = taken(), []
        if not any(path.startswith("/engine/") for path in opening):
            raise HostError("the arena has no engine for browsers: make run builds it")
        for ply in range(1, TURNS + 1):
            await page.click(BEST)
            await page.wait_for_selector(f".tree .turn >> nth={ply - 1}")
            await page.wait_for_selector(BEST)
            await page.wait_for_load_state("networkidle")
            turns.append(taken())
    return PageRequests(opening, turns)


async def measure_device_load(plan: LoadPlan, visitors: int, on_progress: OnProgress) -> DeviceLoad:
    """Play the games of the plan four times: visitors come in the second and look in the third.

    Raises HostError or PeerError if that fails.
    """
    setup = {"game": plan.game.name, "board": plan.game.board.name}
    chance = random.Random(1)
    async with AsyncExitStack() as stack:
        limits = limits_for(plan.connections + visitors)
        program = await stack.enter_async_context(arena_under_load(plan.command, limits))
        on_progress("opening the analysis board in a browser")
        page = await page_requests(program.address, setup)
        sources = await stack.enter_async_context(open_sources())
        book = AddressBook(program.address)
        book.take(plan.connections)  # the players' and the spectators'
        addresses = book.take(visitors)
        guests = [
            DeviceVisitor(session, program.address)
            for session in sources.sessions(addresses, visitors)
        ]
        clients = await stack.enter_async_context(crowd(plan, program, on_progress))
        alone = await clients.play(plan.pause_s, plan.seconds)
        begin = time.monotonic() + plan.warmup_s
        comes = [begin + chance.uniform(0, plan.seconds) for _ in guests]
        end = begin + plan.seconds + plan.warmup_s + plan.seconds

        async def two_plays() -> tuple[Measured, Measured]:
            arriving = await clients.play(plan.pause_s, plan.seconds)
            return arriving, await clients.play(plan.pause_s, plan.seconds)

        async def all_look() -> None:
            visits = zip(guests, comes, strict=True)
            await asyncio.gather(*(guest.visit(page, moment, end) for guest, moment in visits))

        (arriving, together), _ = await asyncio.gather(two_plays(), all_look())
        after = await clients.play(plan.pause_s, plan.seconds)
    took = [ms for guest in guests for ms in guest.took_ms]
    return DeviceLoad(
        games=plan.games,
        visitors=visitors,
        alone=alone,
        arriving=arriving,
        together=together,
        after=after,
        opening_requests=len(page.opening),
        requests=len(took),
        failed=sum(guest.failed for guest in guests),
        request_ms=summary(took),
    )
