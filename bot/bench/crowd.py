"""Players and spectators in separate processes, and the windows in which they are measured."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import engine
from bot.bench.arena_processes import ON_SQLITE, ArenaKind, MeasuredArena
from bot.bench.clients.frames import Json
from bot.bench.clients.guests import as_setup, prepared
from bot.bench.clients.process import ClientProcess, clients
from bot.bench.clients.roles import AT_ONCE, Audience, ClientPlan, Players, role_name
from bot.bench.clients.sources import AddressBook
from bot.bench.load_report import Measured, measured
from bot.bench.usage import Window, metered, until

SETTLE_S: Final = 1.0
"""Seconds in which a turn of the last moment reaches the last spectator."""


class Gallery:
    """Spectators in one client process. Close it when they are no longer needed."""

    def __init__(self, process: ClientProcess, plan: ClientPlan) -> None:
        self._process = process
        self._plan = plan
        self._watched: asyncio.Queue[str] = asyncio.Queue()
        self._following: asyncio.Task[None] | None = None
        self._coming_s: float | None = None

    def watch(self, game_id: str) -> None:
        """Follow this game from now on."""
        self._watched.put_nowait(game_id)

    async def connect(self) -> None:
        """Raises PeerError or HostError."""
        await self._process.connect(self._plan)

    async def follow(self) -> None:
        """Wait until all spectators follow the game. They follow its successors by themselves."""
        await self._follow_next()
        self._following = asyncio.create_task(self._follow_on())

    async def come_at(self, moment: float) -> None:
        """Connect and follow from that moment on, and measure the time."""
        await until(moment)
        await self.connect()
        await self.follow()
        self._coming_s = round(time.monotonic() - moment, 2)

    async def report(self) -> Json:
        """Return the turns that the spectators saw since the last report."""
        if self._following is not None and self._following.done():
            self._following.result()
        await asyncio.sleep(SETTLE_S)
        report: Json = await self._process.ask({"do": "report"})
        return {**report, "coming_s": self._coming_s}

    def close(self) -> None:
        if self._following is not None:
            self._following.cancel()

    async def _follow_on(self) -> None:
        while True:
            await self._follow_next()

    async def _follow_next(self) -> None:
        game_id = await self._watched.get()
        while not self._watched.empty():
            game_id = self._watched.get_nowait()
        await self._process.ask({"do": "follow", "game_id": game_id})


CLOCK: Final = {"kind": "fischer", "initial_s": 3600, "increment_s": 10}
PREPARED_GAMES: Final = 200
LATE_S: Final = 200.0
"""Longer than any timeout of a client."""
LATE_COMERS: Final = 200
"""Late spectators that connect concurrently."""

OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class LoadPlan:
    """The plan of a load test.

    `command` starts another arena than ours, and `kind` says on how many processes it runs. Games
    are divided among `clients` processes. With `changes` clients get `change` events, otherwise the
    whole game after each turn. Spectators connect before the clock starts, or with `late` all at
    once when it does.
    """

    game: engine.Game
    games: int
    seconds: float
    pause_s: float = 1.0
    warmup_s: float = 5.0
    spectators: int = 0
    spectators_come_late: bool = False
    clients: int = 1
    command: tuple[str, ...] | None = None
    changes: bool = True
    kind: ArenaKind = ON_SQLITE

    @property
    def connections(self) -> int:
        return 2 * self.games + self.spectators


class ArenaCrowd:
    """All players and spectators on an arena; made by `crowd`."""

    def __init__(self, plan: LoadPlan, arena: MeasuredArena, on_progress: OnProgress) -> None:
        self._plan = plan
        self._arena = arena
        self._on_progress = on_progress
        self._addresses = AddressBook(arena.address)
        self._players: list[ClientProcess] = []
        self._gallery: Gallery | None = None
        self._is_coming = plan.spectators_come_late

    async def come(self, stack: AsyncExitStack) -> None:
        """Connect all, start the games, and let the spectators follow the first of them."""
        plan = self._plan
        games = await asyncio.to_thread(prepared, plan.game, min(plan.games, PREPARED_GAMES))
        if plan.spectators:
            self._gallery = await self._empty_gallery(stack)
        await self._connect_players(self._player_plans(games), stack)
        if self._gallery is not None and not plan.spectators_come_late:
            self._on_progress(f"connecting {plan.spectators} spectators")
            await self._gallery.connect()
        await asyncio.gather(*(process.ask({"do": "begin"}) for process in self._players))
        if self._gallery is not None and not plan.spectators_come_late:
            await self._gallery.follow()

    async def _empty_gallery(self, stack: AsyncExitStack) -> Gallery:
        plan = ClientPlan(
            role=role_name(Audience),
            address=self._arena.address,
            count=self._plan.spectators,
            sources=self._addresses.take_for(self._plan.spectators),
            at_once=LATE_COMERS if self._plan.spectators_come_late else AT_ONCE,
            changes=self._plan.changes,
        )
        process = await stack.enter_async_context(clients(self._progressed))
        gallery = Gallery(process, plan)
        stack.callback(gallery.close)
        return gallery

    async def _connect_players(self, plans: list[ClientPlan], stack: AsyncExitStack) -> None:
        self._on_progress(f"connecting {2 * self._plan.games} players")
        for number in range(len(plans)):
            noticed = self._progressed if number else self._noticed
            self._players.append(await stack.enter_async_context(clients(noticed)))
        await asyncio.gather(
            *(process.connect(plan) for process, plan in zip(self._players, plans, strict=True))
        )

    def _player_plans(self, games: list[list[str]]) -> list[ClientPlan]:
        """Return one plan per process.

        The first process has the longest game at its first table.
        """
        tables = _divided(self._plan.games, self._plan.clients)
        shifts = [sum(tables[:number]) % len(games) for number in range(len(tables))]
        return [
            ClientPlan(
                role=role_name(Players),
                address=self._arena.address,
                count=count,
                sources=self._addresses.take_for(2 * count),
                setup=as_setup(self._plan.game, CLOCK),
                games=games[shift:] + games[:shift],
                seed=number,
                changes=self._plan.changes,
            )
            for number, (count, shift) in enumerate(zip(tables, shifts, strict=True))
        ]

    async def play(self, pause_s: float, seconds: float) -> Measured:
        """Play for `seconds` after the warm-up. Raises HostError or PeerError."""
        begin = time.monotonic() + self._plan.warmup_s
        window = Window(begin, begin + seconds)
        self._on_progress(f"playing for {self._plan.warmup_s:g} + {seconds:g} s")
        request = {"do": "play", "pause_s": pause_s, "until": window.end}
        patience = self._plan.warmup_s + seconds + LATE_S
        used, database_used, _, *reports = await asyncio.gather(
            metered(self._arena.usage, window),
            metered(self._arena.database_usage, window),
            self._late_spectators(window),
            *(process.ask(request, patience) for process in self._players),
        )
        self._arena.check_it_runs()
        seen = None if self._gallery is None else await self._gallery.report()
        return measured(window, reports, seen, self._plan.spectators, used, database_used)

    async def _late_spectators(self, window: Window) -> None:
        if self._gallery is not None and self._is_coming:
            self._is_coming = False
            await self._gallery.come_at(window.begin)

    def _noticed(self, notice: Json) -> None:
        """Handle a notice of the process with the table that spectators watch."""
        if "game_id" in notice and self._gallery is not None:
            self._gallery.watch(notice["game_id"])
        self._progressed(notice)

    def _progressed(self, notice: Json) -> None:
        if "connected" in notice:
            self._on_progress(f"{notice['connected']} are connected")


@asynccontextmanager
async def crowd(
    plan: LoadPlan, arena: MeasuredArena, on_progress: OnProgress
) -> AsyncIterator[ArenaCrowd]:
    """Connect a crowd that has started to play, until the end of the block."""
    async with AsyncExitStack() as stack:
        players_and_spectators = ArenaCrowd(plan, arena, on_progress)
        await players_and_spectators.come(stack)
        yield players_and_spectators


def _divided(games: int, processes: int) -> list[int]:
    """Divide the games among the processes, so that each process has at least one."""
    processes = min(games, processes)
    return [games // processes + (number < games % processes) for number in range(processes)]
