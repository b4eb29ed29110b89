"""Abuse beside honest players: who is shut out, and what the others notice of it."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

import engine
from bot.bench.abuse_report import Outcome, Seen, outcome
from bot.bench.clients import Clients, clients
from bot.bench.crowd import CLOCK, OnProgress
from bot.bench.frames import Json
from bot.bench.load_arena import arena_under_load
from bot.bench.meter import Window, memory, metered, until
from bot.bench.offers import as_setup, prepared
from bot.bench.processes import Program
from bot.bench.roles import Plan, RoleName
from bot.bench.sources import AddressBook

TABLES: Final = 5
PAUSE_S: Final = 0.5
LOGIN_EVERY_S: Final = 1.0
LATE_S: Final = 200.0


@dataclass(frozen=True)
class Abuse:
    """So many connections of one kind; nobody at all without a role."""

    name: str
    role: RoleName | None = None
    connections: int = 0


ABUSES: Final = (
    Abuse("nobody"),
    Abuse("sockets of one guest", "one_key", 2100),
    Abuse("silent sockets", "silent", 2000),
    Abuse("dripping headers", "dripping", 500),
    Abuse("wrong tokens", "wrong_tokens", 1000),
)


@dataclass(frozen=True)
class AbusePlan:
    """Each abuse lasts `seconds`, and is looked at for `rest_s` more.

    Honest players play for `settle_s` before it begins. `share` makes all numbers of connections
    smaller; `command` starts another arena than ours.
    """

    game: engine.Game
    seconds: float = 30.0
    rest_s: float = 10.0
    settle_s: float = 2.0
    share: float = 1.0
    command: tuple[str, ...] | None = None


async def measure(plan: AbusePlan, on_progress: OnProgress) -> list[Outcome]:
    """One abuse after the other on an arena with its usual limits.

    Raises HostError or PeerError if it cannot be measured.
    """
    async with AsyncExitStack() as stack:
        arena = await stack.enter_async_context(arena_under_load(plan.command, {}))
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
        trial = _Trial(plan, arena, honest, addresses)
        outcomes = []
        for abuse in ABUSES:
            on_progress(f"{abuse.name}: {plan.seconds:g} + {plan.rest_s:g} s")
            outcomes.append(await trial.undergo(abuse))
        return outcomes


class _Trial:
    def __init__(
        self, plan: AbusePlan, arena: Program, honest: Clients, addresses: AddressBook
    ) -> None:
        self._plan = plan
        self._arena = arena
        self._honest = honest
        self._addresses = addresses

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
        return outcome(abuse.name, window, report, played, seen)

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
