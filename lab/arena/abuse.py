"""Abuse of an arena: which abusers are shut out, and the effect on honest players."""

import asyncio
import math
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter, validators

import engine
from bot.arena.lobby.game_quotas import FIRST_GAMES
from bot.arena.players.accounts import issue_token
from bot.arena.settings import LobbyLimits
from bot.bench.arena_load import arena_under_load
from bot.bench.clients.frames import Json
from bot.bench.clients.guests import as_setup, prepared
from bot.bench.clients.process import ClientProcess, clients
from bot.bench.clients.roles import ClientPlan, role_name
from bot.bench.clients.sources import AddressBook
from bot.bench.crowd import CLOCK, OnProgress
from bot.bench.processes import Program
from bot.bench.usage import Memory, Window, memory, metered, until
from bot.cli.bench_arena import ArenaCommand, arena_command, memory_figures
from bot.cli.games import Board, GameName, chosen_game
from bot.cli.measurements import (
    FigureTable,
    MeasurementReport,
    Seconds,
    counted,
    measurement,
    progress,
    share,
)
from bot.errors import ConfigurationError, HostError
from bot.puzzles import library
from lab.arena.abusers import (
    HOGGED,
    Aborting,
    Abuser,
    Challenging,
    Dripping,
    Getting,
    Hogging,
    Honest,
    OneKey,
    Silent,
    WrongTokens,
)
from lab.arena.floods import BODIES, CONNECTIONS, EVENTS, ROUTES, Flooding, Reconnecting, Requesting
from lab.arena.large_event import PLAYERS, store_large_event
from lab.arena.long_games import GAMES, store_long_games

LOGIN_BOUND_S: Final = 1.0
TURN_BOUND_MS: Final = 250.0
MEMORY_BOUND: Final = 1.1
LOST: Final = "connection_lost"


@dataclass(frozen=True)
class Seen:
    """The arena's resource usage and its output; `machine` as in `Used`, during the abuse."""

    memory_mb: Memory | None
    log_lines: int
    machine: float | None


@dataclass(frozen=True)
class AbuseVerdict:
    """The verdict on one abuse. `inside` counts connections open at its end, `shut_out` is by
    reason.

    `refused` counts refusals of honest players by code. `lost` counts their turns and logins
    without an answer, and their tables that stopped. `broken` names the bounds that were exceeded.
    """

    abuse: str
    tried: int
    inside: int
    shut_out: Mapping[str, int]
    logins: int
    login_median_s: float
    login_slowest_s: float
    turns: int
    turn_slowest_ms: float
    refused: Mapping[str, int]
    lost: int
    memory_mb: Memory | None
    log_lines: int
    machine: float | None
    health_slowest_ms: float = 0.0
    keeps_mb: float = 0.0
    """Megabytes that the arena may keep after this abuse."""
    done: int = 0
    """What a greedy abuser was allowed to do."""
    most_done: int | None = None
    """How often the arena may allow it."""

    @property
    def broken(self) -> list[str]:
        return list(_broken(self))


def verdict(
    abuse: str,
    window: Window,
    attack: Json,
    played: Json,
    seen: Seen,
    keeps_mb: float = 0.0,
    most_done: int | None = None,
) -> AbuseVerdict:
    """The verdict from the reports of abusers and honest players, and the arena's usage.

    Raises HostError if honest players did nothing in the window.
    """
    logins = [login["seconds"] for login in played["logins"]]
    turns = [turn for turn in played["tally"]["turns"] if turn["sent"] in window]
    if not logins or not turns:
        raise HostError("no honest player logged in or played in that time; it is too short")
    refused = Counter(played["tally"]["refusals"])
    refused.update(login["code"] for login in played["logins"] if login["code"] is not None)
    gone = refused.pop(LOST, 0)
    return AbuseVerdict(
        abuse=abuse,
        tried=attack["tried"],
        inside=attack["inside"],
        shut_out=attack["shut_out"],
        logins=len(logins),
        login_median_s=round(statistics.median(logins), 3),
        login_slowest_s=round(max(logins), 3),
        turns=len(turns),
        turn_slowest_ms=round(max(_delays_ms(turns), default=0.0), 1),
        refused=refused,
        lost=gone + _unanswered(turns) + sum(played["tally"]["given_up"].values()),
        memory_mb=seen.memory_mb,
        log_lines=seen.log_lines,
        machine=seen.machine,
        health_slowest_ms=round(1000 * max(played.get("health", ()), default=0.0), 1),
        keeps_mb=keeps_mb,
        done=attack.get("done", 0),
        most_done=most_done,
    )


def _delays_ms(turns: Sequence[Json]) -> Iterator[float]:
    """Yield milliseconds from sent to acknowledged, and from sent to arrived, of completed
    turns.
    """
    for turn in turns:
        for moment in (turn["acknowledged"], turn["arrived"]):
            if moment is not None:
                yield (moment - turn["sent"]) * 1000


def _unanswered(turns: Sequence[Json]) -> int:
    return sum(None in (turn["acknowledged"], turn["arrived"]) for turn in turns)


def _broken(found: AbuseVerdict) -> Iterator[str]:
    if found.most_done is not None and found.done > found.most_done:
        yield f"the abusers were allowed {found.done} instead of {found.most_done}"
    if found.refused:
        yield "honest players were refused"
    if found.lost:
        yield "honest turns or logins were lost"
    if found.login_slowest_s >= LOGIN_BOUND_S:
        yield f"a login took {LOGIN_BOUND_S:g} s or longer"
    if found.turn_slowest_ms > TURN_BOUND_MS:
        yield f"a turn took more than {TURN_BOUND_MS:g} ms"
    if found.health_slowest_ms > TURN_BOUND_MS:
        yield f"/healthz took more than {TURN_BOUND_MS:g} ms"
    memory = found.memory_mb
    if memory is not None and memory.after > memory.before * MEMORY_BOUND + found.keeps_mb:
        yield f"memory stayed above {MEMORY_BOUND:.0%} of what it was"


TABLES: Final = 5
LIMITS: Final = LobbyLimits()
REFILLED: Final = 10
"""Games that an address may begin again while the abuse lasts."""
PAUSE_S: Final = 0.5
LOGIN_EVERY_S: Final = 1.0
HEALTH_EVERY_S: Final = 0.25
LATE_S: Final = 200.0
EVENT_MB: Final = 120.0
"""A tournament of 20,000 games in memory."""


@dataclass(frozen=True)
class Abuse:
    """An abuse by `connections` of one kind, none without a role.

    `path`, with the id of a large tournament in place of `{large}`, is for the role `Getting`; the
    roles of floods get the name of their event or route there. `{token}` in it is the token of a
    bot. The arena may keep `keeps_mb` of memory for what it has read, and allow `most_done` of what
    the role asks for. The abuse lasts no longer than `most_s`.
    """

    name: str
    role: type[Abuser] | None = None
    connections: int = 0
    path: str = ""
    keeps_mb: float = 0.0
    most_done: int | None = None
    most_s: float = math.inf


FLOOD_S: Final = 10.0
"""How long a flood of one event or route lasts at most."""
FLOOD_KEEPS_MB: Final = 200.0
"""What caches of positions, games and pictures may keep after a flood."""


def _flood(kind: str, role: type[Abuser], path: str) -> Abuse:
    return Abuse(f"{kind} {path}", role, CONNECTIONS, path, FLOOD_KEEPS_MB, most_s=FLOOD_S)


ABUSES: Final = (
    Abuse("nobody"),
    Abuse("sockets of one guest", OneKey, 2100),
    Abuse("silent sockets", Silent, 2000),
    Abuse("dripping headers", Dripping, 500),
    Abuse("wrong tokens", WrongTokens, 1000),
    Abuse("one large document", Getting, 1, "/api/tournaments/{large}", EVENT_MB),
    Abuse("large documents", Getting, 20, "/api/tournaments/{large}"),
    Abuse("large exports", Getting, 20, "/api/tournaments/{large}/games.jsonl"),
    Abuse("boards", Getting, 100, "/api/boards/bluestone/hexhex-11"),
    Abuse("aborted games", Aborting, 10, most_done=LIMITS.guest_games_per_hour + REFILLED),
    Abuse("challenges to one", Challenging, 10, most_done=LIMITS.challenges_received_per_sender),
    Abuse("hogged bot", Hogging, 10, "{token}", most_done=LIMITS.guest_games_per_bot + FIRST_GAMES),
    Abuse("reconnecting", Reconnecting, CONNECTIONS, "", FLOOD_KEEPS_MB, most_s=FLOOD_S),
    *(_flood("event", Flooding, event) for event in EVENTS),
    *(_flood("route", Requesting, route) for route in (*ROUTES, *BODIES)),
)


@dataclass(frozen=True)
class AbusePlan:
    """Each abuse lasts `seconds`, and the arena is observed for `rest_s` more.

    Honest players play for `settle_s` before it starts. `share` reduces all numbers of connections,
    `entrants` the large tournament, `long_games` those of the guest who floods. `command` starts
    another arena than ours. `only` names the abuses to try; all of them if it is empty.
    """

    game: engine.Game
    seconds: float = 30.0
    rest_s: float = 10.0
    settle_s: float = 2.0
    share: float = 1.0
    command: tuple[str, ...] | None = None
    entrants: int = PLAYERS
    long_games: int = GAMES
    only: tuple[str, ...] = ()

    @property
    def abuses(self) -> list[Abuse]:
        return [each for each in ABUSES if not self.only or each.name in self.only]


async def measure(plan: AbusePlan, on_progress: OnProgress) -> list[AbuseVerdict]:
    """Run one abuse after the other on an arena with its default limits.

    Raises HostError or PeerError if it cannot be measured.
    """
    async with AsyncExitStack() as stack:
        scene: Json = {}

        async def prepare(data: Path) -> None:
            scene["tournament"] = await store_large_event(data, plan.game, plan.entrants)
            scene["token"] = await issue_token(data, HOGGED)
            scene.update((await store_long_games(data, plan.long_games)).as_json())
            puzzle = library.shipped("hexo")[-1]
            scene.update(puzzle=puzzle.id, puzzle_turn=puzzle.solution)

        arena = await stack.enter_async_context(arena_under_load(plan.command, {}, prepare))
        addresses = AddressBook(arena.address)
        honest = await stack.enter_async_context(clients(lambda _: None))
        await honest.connect(
            ClientPlan(
                role=role_name(Honest),
                address=arena.address,
                count=TABLES,
                sources=addresses.take(2 * TABLES),
                setup=as_setup(plan.game, CLOCK),
                games=await asyncio.to_thread(prepared, plan.game, TABLES),
            )
        )
        await honest.ask({"do": "begin"})
        trial = _Trial(plan, arena, honest, addresses, scene)
        found = []
        for abuse in plan.abuses:
            seconds = min(plan.seconds, abuse.most_s)
            on_progress(f"{abuse.name}: {seconds:g} + {plan.rest_s:g} s")
            found.append(await trial.undergo(abuse))
            on_progress(_in_short(found[-1]))
        return found


def _in_short(found: AbuseVerdict) -> str:
    turn, health = found.turn_slowest_ms, found.health_slowest_ms
    return f"  slowest turn {turn:g} ms, /healthz {health:g} ms; {_noticed(found)}"


class _Trial:
    def __init__(
        self,
        plan: AbusePlan,
        arena: Program,
        honest: ClientProcess,
        addresses: AddressBook,
        scene: Json,
    ) -> None:
        self._plan = plan
        self._arena = arena
        self._honest = honest
        self._addresses = addresses
        self._scene = scene

    async def undergo(self, abuse: Abuse) -> AbuseVerdict:
        async with AsyncExitStack() as stack:
            abusers = await self._abusers(abuse, stack)
            begin = time.monotonic() + self._plan.settle_s
            attack = Window(begin, begin + min(self._plan.seconds, abuse.most_s))
            window = Window(begin, attack.end + self._plan.rest_s)
            report, played, seen = await asyncio.gather(
                self._attack(abusers, attack, stack),
                self._play(window),
                self._watch(attack, window),
            )
        self._arena.check_it_runs()
        bounds = (abuse.keeps_mb, abuse.most_done)
        return verdict(abuse.name, window, report, played, seen, *bounds)

    async def _abusers(self, abuse: Abuse, stack: AsyncExitStack) -> ClientProcess | None:
        if abuse.role is None:
            return None
        abusers = await stack.enter_async_context(clients(lambda _: None))
        await abusers.connect(
            ClientPlan(
                role=role_name(abuse.role),
                address=self._arena.address,
                count=max(1, round(abuse.connections * self._plan.share)),
                sources=self._addresses.take(1),
                path=self._path(abuse),
                setup=self._scene,
            )
        )
        return abusers

    def _path(self, abuse: Abuse) -> str:
        path = abuse.path.replace("{large}", self._scene["tournament"])
        return path.replace("{token}", self._scene["token"])

    async def _attack(
        self, abusers: ClientProcess | None, attack: Window, stack: AsyncExitStack
    ) -> Json:
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
            "health_every_s": HEALTH_EVERY_S,
        }
        patience = window.end - time.monotonic() + LATE_S
        report: Json = await self._honest.ask(request, patience)
        return report

    async def _watch(self, attack: Window, window: Window) -> Seen:
        await until(attack.begin)
        before, lines = self._arena.usage(), self._arena.log_lines()
        used = await metered(self._arena.usage, attack)
        await until(window.end)
        after = self._arena.usage()
        return Seen(
            memory(before, used, after),
            self._arena.log_lines() - lines,
            used.machine if used else None,
        )


@measurement
def abuse(
    *,
    seconds: Annotated[Seconds, Parameter(help="seconds that each abuse lasts")] = 30.0,
    rest: Annotated[
        Seconds, Parameter(help="seconds for which the arena is observed afterwards")
    ] = 10.0,
    portion: Annotated[
        float,
        Parameter(
            name="--share",
            help="share of the usual numbers of connections, such as 0.1",
            validator=validators.Number(gt=0, lte=1),
        ),
    ] = 1.0,
    only: Annotated[
        tuple[str, ...], Parameter(help="the names of the abuses to try; by default all")
    ] = (),
    command: ArenaCommand = None,
    game: GameName = "bluestone",
    board: Board = None,
) -> MeasurementReport:
    """Abuse an arena with its default limits, and report the effect on ten honest players.

    The exit code is 1 if an honest player was refused anything, needed a second to log in or waited
    250 ms for a turn, if /healthz needed 250 ms, or if the arena's memory stayed more than 10 %
    higher.
    """
    if unknown := sorted({*only} - {each.name for each in ABUSES}):
        known = ", ".join(each.name for each in ABUSES)
        raise ConfigurationError(f"--only: no abuse {unknown[0]!r} (known: {known})")
    played, words = chosen_game(game, board, None), arena_command(command)
    plan = AbusePlan(played, seconds, rest, share=portion, command=words, only=only)
    return abuse_report(asyncio.run(measure(plan, progress)))


def abuse_report(found: Sequence[AbuseVerdict]) -> MeasurementReport:
    """Return a row for each abuse, and a sentence about its effect on honest players."""
    rows = [
        (
            *(each.abuse, str(each.tried), str(each.inside)),
            *(f"{each.login_median_s:.3f}", f"{each.login_slowest_s:.3f}"),
            *(f"{each.turn_slowest_ms:g}", f"{each.health_slowest_ms:g}"),
            str(sum(each.refused.values()) + each.lost),
            *memory_figures(each.memory_mb),
            *(str(each.log_lines), share(each.machine)),
        )
        for each in found
    ]
    head = (
        "abuse",
        "tried",
        "inside",
        "login s",
        "slowest",
        "turn ms",
        "health ms",
        "refused, lost",
    )
    more = ("MB before", "during", "after", "log lines", "cores busy")
    noticed = [
        f"{each.abuse}: shut out {counted(each.shut_out)}; {_noticed(each)}" for each in found
    ]
    document = [{**asdict(each), "broken": each.broken} for each in found]
    passed = not any(each.broken for each in found)
    return MeasurementReport([FigureTable((*head, *more), rows), *noticed], document, passed)


def _noticed(found: AbuseVerdict) -> str:
    if not found.broken:
        return "honest players did not notice"
    refused = f" ({counted(found.refused)})" if found.refused else ""
    return f"BROKEN: {', '.join(found.broken)}{refused}"
