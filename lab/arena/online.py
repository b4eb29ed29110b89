"""A Swiss of bots on an arena that is killed repeatedly, while some bots leave and come back."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

from cyclopts import Parameter, validators

from bot.bench.clients.frames import Json
from bot.bench.clients.guests import Guest
from bot.bench.clients.process import ClientProcess, clients
from bot.bench.clients.roles import ClientPlan, role_name
from bot.bench.clients.sources import AddressBook, SourceAddresses, open_sources
from bot.cli.measurements import MeasurementReport, measurement, progress
from bot.errors import ConfigurationError, HostError
from bot.runtime.output import error_console, only_errors_logged
from bot.terminal.play import ensure_kernels
from lab.arena.entrants import Absence, Entrants, EntrantsPlan
from lab.arena.exported_event import ExportedEvent, fetched
from lab.arena.killed_arena import KilledArena, host_key, killable_arena, tokens
from lab.arena.online_report import Course, Expected, OnlineVerdict, online_report, verdict
from lab.arena.turn_book import Told

Note = Callable[[str], None]
GAME: Final = "bluestone"
HOST: Final = "Hanna"
CLOCK: Final = {"kind": "fischer", "initial_s": 300, "increment_s": 5}
"""Long enough that no player loses on time while away or on a busy machine."""
ENTER_S: Final = 300.0
LONGEST_S: Final = 3600.0
"""Seconds after which a tournament counts as failed."""


@dataclass(frozen=True)
class OnlinePlan:
    """`away` of the players leave for `away_s` seconds, each once."""

    players: int = 40
    rounds: int = 9
    kills: int = 3
    away: int = 5
    away_s: float = 20.0
    pause_s: float = 0.5
    """Mean thinking time before a turn."""
    delay_s: float = 2.0
    """The maximal delay of a kill after the end of a game."""
    board: str = "pent-4"
    seed: int = 1

    def expected(self) -> Expected:
        return Expected(self.players, self.rounds, self.kills, self.away)

    def settings(self) -> Json:
        """Return the settings that the host requests."""
        return {
            "name": "Killed again and again",
            "format": {"kind": "swiss", "rounds": self.rounds},
            "setups": [{"game": GAME, "board": self.board, "clock": CLOCK}],
            "most_players": self.players,
            "seed": self.seed,
        }

    def moments(self, count: int, what: str) -> list[int]:
        """Random counts of ended games, in order; each leaves games to be played."""
        rng = random.Random(f"{self.seed} {what}")
        last = self.expected().games - self.players // 2
        return sorted(rng.randint(0, last) for _ in range(count))

    def absences(self) -> list[Absence]:
        chosen = random.Random(f"{self.seed} who").sample(range(self.players), self.away)
        moments = self.moments(self.away, "absences")
        return [
            Absence(games=games, player=player)
            for games, player in zip(moments, chosen, strict=True)
        ]


class Progress:
    """The reports of the client process about the tournament so far."""

    def __init__(self, note: Note) -> None:
        self.entered = 0
        self.ended = 0
        self.is_over = False
        self._round = 0
        self._note = note
        self._changed = asyncio.Event()

    def on_notice(self, notice: Json) -> None:
        match notice:
            case {"entered": _}:
                self.entered += 1
            case {"ended": int(of_round)}:
                self.ended += 1
                self._on_round(of_round)
            case {"left": name}:
                self._note(f"{name} leaves after {self.ended} games")
            case {"back": name}:
                self._note(f"{name} comes back after {self.ended} games")
            case _:
                pass
        self._changed.set()

    def over(self) -> None:
        """Return when the client process reports nothing more."""
        self.is_over = True
        self._changed.set()

    async def until_entered(self, players: int) -> None:
        """Wait for all entries. Raises HostError if that takes too long."""
        await self._until(lambda: self.entered >= players, ENTER_S)

    async def until_ended(self, games: int) -> None:
        """Wait until `games` games have ended, or all. Raises HostError if that takes too long."""
        await self._until(lambda: self.is_over or self.ended >= games, LONGEST_S)

    def _on_round(self, number: int) -> None:
        if number > self._round:
            self._round = number
            self._note(f"first game of round {number} has ended, {self.ended} in all")

    async def _until(self, condition: Callable[[], bool], seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise HostError(f"the tournament made no progress within {seconds:.0f} s") from None


async def measure(plan: OnlinePlan, note: Note) -> OnlineVerdict:
    """Raises HostError or PeerError if the tournament does not end."""
    progress = Progress(note)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="bluestone-bench-")))
        arena = await stack.enter_async_context(killable_arena(folder, GAME))
        sources = await stack.enter_async_context(open_sources())
        crowd = await stack.enter_async_context(clients(progress.on_notice))
        return await _Trial(plan, note, progress, arena, sources, crowd).run()


class _Trial:
    def __init__(
        self,
        plan: OnlinePlan,
        note: Note,
        progress: Progress,
        arena: KilledArena,
        sources: SourceAddresses,
        crowd: ClientProcess,
    ) -> None:
        self._plan = plan
        self._note = note
        self._progress = progress
        self._arena = arena
        self._sources = sources
        self._crowd = crowd
        self._kills = 0
        self._longest_down_s = 0.0

    async def run(self) -> OnlineVerdict:
        host = Guest(self._sources.session(None), _not_watching)
        await host.enter_once(self._arena.address, await host_key(self._arena.data, HOST))
        made = await host.ask("tournament.create", settings=self._plan.settings())
        tournament_id = str(made.fields["tournament"]["tournament_id"])
        began = time.monotonic()
        told = await self._played(host, tournament_id)
        seconds = round(time.monotonic() - began, 1)
        event = await self._exported(tournament_id)
        course = Course(self._kills, round(self._longest_down_s, 1), seconds)
        return verdict(event, told, self._plan.expected(), course)

    async def _played(self, host: Guest, tournament_id: str) -> Told:
        """Let the host start the tournament and leave; the rest happens without a host."""
        try:
            async with asyncio.TaskGroup() as group:
                playing = group.create_task(self._play(tournament_id))
                await self._progress.until_entered(self._plan.players)
                await host.ask("tournament.start", tournament_id=tournament_id)
                await host.leave()
                self._note(f"{self._plan.players} players, {self._plan.expected().games} games")
                await self._kill()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return playing.result()

    async def _play(self, tournament_id: str) -> Told:
        # Never from the arena's own address, because a connection from there could take its port.
        sources = AddressBook(self._arena.address).take(2)[-1:]
        plan = EntrantsPlan(
            tournament_id=tournament_id,
            tokens=await tokens(self._arena.data, self._plan.players),
            pause_s=self._plan.pause_s,
            absences=self._plan.absences(),
            away_s=self._plan.away_s,
        )
        await self._crowd.connect(
            ClientPlan(
                role=role_name(Entrants),
                address=self._arena.address,
                count=self._plan.players,
                sources=sources,
                seed=self._plan.seed,
            )
        )
        answer = await self._crowd.ask({"do": "play", "plan": plan.model_dump()}, LONGEST_S)
        self._progress.over()
        return Told.model_validate(answer)

    async def _kill(self) -> None:
        rng = random.Random(f"{self._plan.seed} delays")
        for games in self._plan.moments(self._plan.kills, "kills"):
            await self._progress.until_ended(games)
            await asyncio.sleep(rng.uniform(0, self._plan.delay_s))
            ended = self._progress.ended
            began = time.monotonic()
            await self._arena.kill()
            await self._arena.start()
            down_s = time.monotonic() - began
            self._kills += 1
            self._longest_down_s = max(self._longest_down_s, down_s)
            self._note(f"kill {self._kills} after {ended} games, up again after {down_s:.1f} s")

    async def _exported(self, tournament_id: str) -> ExportedEvent:
        self._arena.check_it_runs()
        session = self._sources.session(None)
        return await fetched(session, self._arena.address, tournament_id)


def _not_watching(_text: str, _moment: float) -> None:
    """Ignore games, because the host looks at none."""


Players = Annotated[
    int, Parameter(help="number of bots", validator=validators.Number(gte=2, lte=150))
]
Rounds = Annotated[
    int, Parameter(help="number of rounds", validator=validators.Number(gte=1, lte=100))
]
Times = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=100))]
Seconds = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=40))]


@measurement
def online(
    *,
    players: Players = 40,
    rounds: Rounds = 9,
    kills: Annotated[Times, Parameter(help="kills of the arena, by SIGKILL at random moments")] = 3,
    away: Annotated[Times, Parameter(help="players who leave once, and come back")] = 5,
    away_seconds: Annotated[Seconds, Parameter(help="seconds for which they stay away")] = 20.0,
    pause: Annotated[Seconds, Parameter(help="mean thinking time before a turn, in seconds")] = 0.5,
    board: Annotated[str, Parameter(help="a board of Bluestone")] = "pent-4",
    seed: Annotated[int, Parameter(help="seed of the random numbers")] = 1,
) -> MeasurementReport:
    """Play a Swiss of bots on one arena, which is killed and restarted on the same folder.

    The exit code is 1 unless the tournament ends by itself with every game once, no forfeit, no
    turn lost, and standings that are equal to those computed from the arena's export.
    """
    if away > players:
        raise ConfigurationError(f"--away {away}: there are {players} players")
    if rounds >= players + players % 2:
        raise ConfigurationError(f"--rounds {rounds}: too many for {players} players")
    only_errors_logged()
    ensure_kernels(error_console(), GAME)
    plan = OnlinePlan(players, rounds, kills, away, away_seconds, pause, board=board, seed=seed)
    return online_report(asyncio.run(measure(plan, progress)))
