"""Abuse beside honest players: who is shut out, and what the others notice of it."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import engine
from bot.bench.abuse_report import Outcome, Seen, outcome
from bot.bench.arena_load import arena_under_load
from bot.bench.clients.frames import Json
from bot.bench.clients.guests import as_setup, prepared
from bot.bench.clients.process.process import Clients, clients
from bot.bench.clients.roles import Plan, RoleName
from bot.bench.clients.sources import AddressBook
from bot.bench.crowd import CLOCK, OnProgress
from bot.bench.large_event import PLAYERS, store_large_event
from bot.bench.processes import Program
from bot.bench.usage import (
    Window,
    memory,
    metered,
    until,
)

TABLES: Final = 5
PAUSE_S: Final = 0.5
LOGIN_EVERY_S: Final = 1.0
LATE_S: Final = 200.0
EVENT_MB: Final = 120.0
"""A tournament of 20,000 games in memory."""


@dataclass(frozen=True)
class Abuse:
    """So many connections of one kind; nobody at all without a role.

    `path`, with the id of a large tournament in place of `{large}`, is for the role `getting`. The
    arena may keep `keeps_mb` of memory for what it has read.
    """

    name: str
    role: RoleName | None = None
    connections: int = 0
    path: str = ""
    keeps_mb: float = 0.0


ABUSES: Final = (
    Abuse("nobody"),
    Abuse("sockets of one guest", "one_key", 2100),
    Abuse("silent sockets", "silent", 2000),
    Abuse("dripping headers", "dripping", 500),
    Abuse("wrong tokens", "wrong_tokens", 1000),
    Abuse("one large document", "getting", 1, "/api/tournaments/{large}", EVENT_MB),
    Abuse("large documents", "getting", 20, "/api/tournaments/{large}"),
    Abuse("large exports", "getting", 20, "/api/tournaments/{large}/games.jsonl"),
    Abuse("boards", "getting", 100, "/api/boards/bluestone/hexhex-11"),
)


@dataclass(frozen=True)
class AbusePlan:
    """Each abuse lasts `seconds`, and is looked at for `rest_s` more.

    Honest players play for `settle_s` before it begins. `share` makes all numbers of connections
    smaller, `entrants` the large tournament; `command` starts another arena than ours. `only` names
    the abuses to try, all if it is empty.
    """

    game: engine.Game
    seconds: float = 30.0
    rest_s: float = 10.0
    settle_s: float = 2.0
    share: float = 1.0
    command: tuple[str, ...] | None = None
    entrants: int = PLAYERS
    only: tuple[str, ...] = ()

    @property
    def abuses(self) -> list[Abuse]:
        return [each for each in ABUSES if not self.only or each.name in self.only]


async def measure(plan: AbusePlan, on_progress: OnProgress) -> list[Outcome]:
    """One abuse after the other on an arena with its usual limits.

    Raises HostError or PeerError if it cannot be measured.
    """
    async with AsyncExitStack() as stack:
        large: list[str] = []

        async def prepare(data: Path) -> None:
            large.append(await store_large_event(data, plan.game, plan.entrants))

        arena = await stack.enter_async_context(arena_under_load(plan.command, {}, prepare))
        addresses = AddressBook(arena.address)
        honest = await stack.enter_async_context(clients(lambda _: None))
        await honest.connect(
            Plan(
                role="honest",
                address=arena.address,
                count=TABLES,
                sources=addresses.take(2 * TABLES),
                setup=as_setup(plan.game, CLOCK),
                games=await asyncio.to_thread(prepared, plan.game, TABLES),
            )
        )
        await honest.ask({"do": "begin"})
        trial = _Trial(plan, arena, honest, addresses, large[0])
        outcomes = []
        for abuse in plan.abuses:
            on_progress(f"{abuse.name}: {plan.seconds:g} + {plan.rest_s:g} s")
            outcomes.append(await trial.undergo(abuse))
        return outcomes


class _Trial:
    def __init__(
        self,
        plan: AbusePlan,
        arena: Program,
        honest: Clients,
        addresses: AddressBook,
        large: str,
    ) -> None:
        self._plan = plan
        self._arena = arena
        self._honest = honest
        self._addresses = addresses
        self._large = large

    async def undergo(self, abuse: Abuse) -> Outcome:
        async with AsyncExitStack() as stack:
            abusers = await self._abusers(abuse, stack)
            begin = time.monotonic() + self._plan.settle_s
            attack = Window(begin, begin + self._plan.seconds)
            window = Window(begin, attack.end + self._plan.rest_s)
            report, played, seen = await asyncio.gather(
                self._attack(abusers, attack, stack),
                self._play(window),
                self._watch(attack, window),
            )
        self._arena.check_it_runs()
        return outcome(abuse.name, window, report, played, seen, abuse.keeps_mb)

    async def _abusers(self, abuse: Abuse, stack: AsyncExitStack) -> Clients | None:
        if abuse.role is None:
            return None
        abusers = await stack.enter_async_context(clients(lambda _: None))
        await abusers.connect(
            Plan(
                role=abuse.role,
                address=self._arena.address,
                count=max(1, round(abuse.connections * self._plan.share)),
                sources=self._addresses.take(1),
                path=abuse.path.format(large=self._large),
            )
        )
        return abusers

    async def _attack(self, abusers: Clients | None, attack: Window, stack: AsyncExitStack) -> Json:
        report: Json = {"tried": 0, "inside": 0, "shut_out": {}}
        await until(attack.begin)
        if abusers is not None:
            report = await abusers.ask({"do": "attack", "until": attack.end})
        await until(attack.end)
        await stack.aclose()
        return report

    async def _play(self, window: Window) -> Json:
        request = {
            "do": "play",
            "pause_s": PAUSE_S,
            "until": window.end,
            "login_every_s": LOGIN_EVERY_S,
        }
        patience = window.end - time.monotonic() + LATE_S
        report: Json = await self._honest.ask(request, patience)
        return report

    async def _watch(self, attack: Window, window: Window) -> Seen:
        await until(attack.begin)
        before, lines = self._arena.usage(), self._arena.log_lines()
        used = await metered(self._arena, attack)
        await until(window.end)
        after = self._arena.usage()
        return Seen(
            memory(before, used, after),
            self._arena.log_lines() - lines,
            used.machine if used else None,
        )
