"""A tournament on one machine, compared with one on workers that are killed one by one."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.measurements import (
    FigureTable,
    MeasurementReport,
    measurement,
    progress,
    verdict_report,
)
from bot.guests.dask.venue import ManyMachines
from bot.matches.ledger import LEDGER, read_ledger
from bot.matches.local_games import Venue, this_machine
from bot.matches.run import run_event
from bot.matches.settings import LocalSettings, settings_of
from bot.runtime.output import only_errors_logged
from bot.time_source import SystemTime
from bot.tournaments.events import Event, Finished
from bot.tournaments.state import Tournament
from lab.tournaments.local_dask import LocalDask

Note = Callable[[str], None]
PROGRESS_GAMES = 50


@dataclass(frozen=True)
class DistributedPlan:
    games: int
    workers: int
    kill_every_s: float
    nodes: int
    seed: int
    board: str

    def settings(self) -> LocalSettings:
        """Return two engines with equal options except one, limited by nodes, so that games are
        repeatable.
        """
        options = {"Threads": 1, "Hash": 16}
        raw = {
            "name": "distributed",
            "seed": self.seed,
            "players": [
                {"name": "one", "options": options},
                {"name": "two", "options": options},
            ],
            "setups": [{"game": "bluestone", "board": self.board, "nodes": self.nodes}],
            "games_per_pairing": self.games,
            "concurrency": self.workers,
        }
        return settings_of(raw, "bench")


@dataclass(frozen=True)
class DistributedVerdict:
    """The verdict. `once` counts the games that are in the ledger exactly once.

    `same` counts those with the same turns as the game that was played on this machine alone.
    """

    games: int
    once: int
    same: int
    voids: int
    killed: int
    lost: int
    """Games that were running on a killed worker, and were played again."""
    local_s: float
    distributed_s: float

    @property
    def fine(self) -> bool:
        return self.games == self.once == self.same


async def measure(plan: DistributedPlan, note: Note) -> DistributedVerdict:
    """Raises HostError if one of the two tournaments does not end."""
    with TemporaryDirectory(prefix="bluestone-bench-") as name:
        local, spread = Path(name) / "local", Path(name) / "spread"
        note("on this machine alone")
        local_s = await _played(plan, local, this_machine, note)
        note(f"on {plan.workers} workers, one killed every {plan.kill_every_s:g} s")
        async with LocalDask.running(plan.workers) as dask:
            machines = ManyMachines(dask.address)
            killer = asyncio.create_task(_kill(dask, plan, note))
            try:
                spread_s = await _played(plan, spread, machines, note)
            finally:
                killer.cancel()
                await asyncio.gather(killer, return_exceptions=True)
        lost = sum(each.lost for each in machines.figures())
        killed = sum(not each.is_there for each in machines.figures())
        return _verdict(plan, local, spread, (killed, lost), (local_s, spread_s))


async def _played(plan: DistributedPlan, folder: Path, venue: Venue, note: Note) -> float:
    """Play the tournament, and return the seconds."""

    def watch(tournament: Tournament, event: Event) -> None:
        played = len(tournament.played)
        if isinstance(event, Finished) and played % PROGRESS_GAMES == 0:
            note(f"{played} of {plan.games} games")

    began = time.monotonic()
    await run_event(plan.settings(), folder, SystemTime(), watch, note, venue)
    return round(time.monotonic() - began, 1)


async def _kill(dask: LocalDask, plan: DistributedPlan, note: Note) -> None:
    """Kill a random worker and start another one in its place, until cancelled."""
    chance = random.Random(plan.seed)
    while True:
        await asyncio.sleep(plan.kill_every_s)
        place = chance.randrange(len(dask.workers))
        note(f"killing worker {place + 1} of {len(dask.workers)}")
        await dask.kill_worker(place)
        await dask.start_worker()


def _verdict(
    plan: DistributedPlan,
    local: Path,
    spread: Path,
    losses: tuple[int, int],
    seconds: tuple[float, float],
) -> DistributedVerdict:
    expected, (found, times, voids) = _games_in(local)[0], _games_in(spread)
    return DistributedVerdict(
        games=plan.games,
        once=sum(count == 1 for count in times.values()),
        same=sum(expected.get(number) == what for number, what in found.items()),
        voids=voids,
        killed=losses[0],
        lost=losses[1],
        local_s=seconds[0],
        distributed_s=seconds[1],
    )


def _games_in(folder: Path) -> tuple[dict[int, object], Counter[int], int]:
    """Read a ledger: the result of each game, how often it occurs, and how many games were void."""
    events = [entry.event for entry in read_ledger(folder / LEDGER).entries]
    finished = [event for event in events if isinstance(event, Finished)]
    results = {each.game: (each.result, each.plies, each.fingerprint) for each in finished}
    voids = sum(event.kind == "voided" for event in events)
    return dict(results), Counter(each.game for each in finished), voids


Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]
Workers = Annotated[
    int, Parameter(help="number of workers", validator=validators.Number(gte=1, lte=100))
]
Seconds = Annotated[
    float, Parameter(help="seconds between kills", validator=validators.Number(gt=0, lte=3600))
]


@measurement
def distributed(
    *,
    games: Annotated[Count, Parameter(help="number of games, an even number")] = 500,
    workers: Workers = 4,
    kill_every: Seconds = 20.0,
    nodes: Annotated[Count, Parameter(help="playouts per turn")] = 50,
    board: Annotated[str, Parameter(help="a board of Bluestone")] = "pent-4",
    seed: Annotated[int, Parameter(help="seed of the random numbers")] = 1,
) -> MeasurementReport:
    """Play on a Dask scheduler and workers of this machine, and kill a worker every few seconds.

    The exit code is 1 unless each game is in the ledger once, and equals the game on one machine.
    """
    only_errors_logged()
    plan = DistributedPlan(games, workers, kill_every, nodes, seed, board)
    found = asyncio.run(measure(plan, progress))
    rows = [
        ("games in the ledger exactly once", found.once, found.games),
        ("games the same as on one machine", found.same, found.games),
        ("void games", found.voids, "-"),
        ("workers killed", found.killed, "-"),
        ("games played again", found.lost, "-"),
        ("seconds on one machine", found.local_s, "-"),
        ("seconds on the workers", found.distributed_s, "-"),
    ]
    return verdict_report(
        found, [FigureTable(("", "found", "of"), [(a, f"{b}", f"{c}") for a, b, c in rows])]
    )
