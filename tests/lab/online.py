"""A Swiss of bots on an arena that is killed, while some of them leave and come back."""

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from bot.bench.arena_load import OURS
from bot.bench.clients.bounded import a_few_at_once
from bot.bench.clients.frames import Json
from bot.bench.clients.guests import Guest
from bot.bench.clients.process import Clients, clients
from bot.bench.clients.roles import Plan
from bot.bench.clients.sources import AddressBook, Sources, open_sources
from bot.bench.processes import Program, running
from bot.errors import HostError
from tests.lab.entrants import Absence, EntrantsPlan
from tests.lab.exported_event import ExportedEvent, fetched
from tests.lab.online_report import (
    Course,
    Expected,
    OnlineOutcome,
    outcome,
)
from tests.lab.turn_book import Told

END_S: Final = 60.0
COMMAND_S: Final = 120.0
PROGRAMS_AT_ONCE: Final = 2
KEY: Final = re.compile(r"#guest_key=(\S+)")


class KilledArena:
    """Made by `killable_arena`. It has the usual limits, and always the same folder and port."""

    def __init__(self, data: Path, config: Path) -> None:
        self.data = data
        self.address = ""
        self._config = config
        self._running = AsyncExitStack()
        self._program: Program | None = None

    async def start(self) -> None:
        """Return when people can play. Raises HostError if that takes two minutes."""
        port = urlsplit(self.address).port or 0
        options = ("--port", str(port), "--data", str(self.data), "--config", str(self._config))
        self._program = await self._running.enter_async_context(running([*OURS, *options]))
        self.address = self._program.address

    async def kill(self) -> None:
        """SIGKILL, and wait until it is gone. Raises HostError if it has ended before."""
        assert self._program is not None
        self._program.check_it_runs()
        self._program.process.kill()
        try:
            await asyncio.wait_for(self._program.process.wait(), END_S)
        except TimeoutError:
            raise HostError(f"the arena is there {END_S:.0f} s after SIGKILL") from None
        await self.close()

    def check_it_runs(self) -> None:
        """Raises HostError if it has ended by itself."""
        assert self._program is not None
        self._program.check_it_runs()

    async def close(self) -> None:
        await self._running.aclose()


@asynccontextmanager
async def killable_arena(folder: Path, game: str) -> AsyncIterator[KilledArena]:
    """An arena that runs, for that game alone, until the end of the block."""
    config = folder / "arena.toml"
    config.write_text(f"games = ['{game}']\n")
    arena = KilledArena(folder / "data", config)
    try:
        await arena.start()
        yield arena
    finally:
        await arena.close()


async def host_key(data: Path, name: str) -> str:
    """The key in what `bluestone arena host` prints. Raises HostError if it prints none."""
    said = await _said("host", name, data)
    if (found := KEY.search(said)) is None:
        raise HostError(f"bluestone arena host: {said[-200:]}")
    return found[1]


async def tokens(data: Path, count: int) -> list[str]:
    """Of bots named by their numbers, from `bluestone arena token`. Raises HostError."""
    found: dict[str, str] = {f"bot-{number}": "" for number in range(1, count + 1)}

    async def get(name: str) -> None:
        found[name] = await _said("token", name, data)

    await a_few_at_once(list(found), get, at_once=PROGRAMS_AT_ONCE)
    return list(found.values())


async def _said(command: str, name: str, data: Path) -> str:
    """What `bluestone arena COMMAND NAME` prints. Raises HostError if it fails or hangs."""
    process = await asyncio.create_subprocess_exec(
        *(*OURS, command, name, "--data", str(data)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        said, errors = await asyncio.wait_for(process.communicate(), COMMAND_S)
    except TimeoutError:
        raise HostError(f"bluestone arena {command}: no end in {COMMAND_S:.0f} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise HostError(f"bluestone arena {command}: {errors.decode(errors='replace')[-200:]}")
    return said.decode().strip()


Note = Callable[[str], None]
GAME: Final = "bluestone"
HOST: Final = "Hanna"
CLOCK: Final = {"kind": "fischer", "initial_s": 300, "increment_s": 5}
"""Nobody loses by time for having been away, or for a machine that is busy."""
ENTER_S: Final = 300.0
LONGEST_S: Final = 3600.0
"""A tournament that takes longer has gone wrong."""


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
    """A kill comes by up to so much later than the end of a game."""
    board: str = "pent-4"
    seed: int = 1

    def expected(self) -> Expected:
        return Expected(self.players, self.rounds, self.kills, self.away)

    def settings(self) -> Json:
        """What the host asks for."""
        return {
            "name": "Killed again and again",
            "format": {"kind": "swiss", "rounds": self.rounds},
            "setups": [{"game": GAME, "board": self.board, "clock": CLOCK}],
            "most_players": self.players,
            "seed": self.seed,
        }

    def moments(self, count: int, what: str) -> list[int]:
        """Numbers of ended games, in order; never so many that nobody has a game left to play."""
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
    """What the client process has told of the tournament so far."""

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
        """Nothing more will be told."""
        self.is_over = True
        self._changed.set()

    async def until_entered(self, players: int) -> None:
        """Raises HostError if that takes too long."""
        await self._until(lambda: self.entered >= players, ENTER_S)

    async def until_ended(self, games: int) -> None:
        """So many, or all. Raises HostError if that takes too long."""
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
            raise HostError(f"the tournament does not go on in {seconds:.0f} s") from None


async def measure(plan: OnlinePlan, note: Note) -> OnlineOutcome:
    """Raises HostError or PeerError if the tournament does not come to its end."""
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
        sources: Sources,
        crowd: Clients,
    ) -> None:
        self._plan = plan
        self._note = note
        self._progress = progress
        self._arena = arena
        self._sources = sources
        self._crowd = crowd
        self._kills = 0
        self._longest_down_s = 0.0

    async def run(self) -> OnlineOutcome:
        host = Guest(self._sources.session(None), _not_watching)
        await host.enter_once(self._arena.address, await host_key(self._arena.data, HOST))
        made = await host.ask("tournament.create", settings=self._plan.settings())
        tournament_id = str(made.fields["tournament"]["tournament_id"])
        began = time.monotonic()
        told = await self._played(host, tournament_id)
        seconds = round(time.monotonic() - began, 1)
        event = await self._exported(tournament_id)
        course = Course(self._kills, round(self._longest_down_s, 1), seconds)
        return outcome(event, told, self._plan.expected(), course)

    async def _played(self, host: Guest, tournament_id: str) -> Told:
        """The host starts it and leaves; nobody does anything more by hand."""
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
        # Never from the arena's own address: a connection from there could take its port.
        sources = AddressBook(self._arena.address).take(2)[-1:]
        plan = EntrantsPlan(
            tournament_id=tournament_id,
            tokens=await tokens(self._arena.data, self._plan.players),
            pause_s=self._plan.pause_s,
            absences=self._plan.absences(),
            away_s=self._plan.away_s,
        )
        await self._crowd.connect(
            Plan(
                role="entrants",
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
    """The host looks at no game."""
