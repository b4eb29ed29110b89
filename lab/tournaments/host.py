"""A match between two built-in engines: losses on time, and the host's share of the time."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import uvloop
from cyclopts import Parameter, validators

from bot.cli.games import Board
from bot.cli.measurements import (
    MeasurementReport,
    bounds_table,
    measurement,
    progress,
    verdict_report,
)
from bot.errors import HostError
from bot.matches.run import run_event
from bot.matches.settings import LocalSettings, settings_of
from bot.matches.summary import TimeUsage
from bot.runtime.output import only_errors_logged
from bot.time_source import SystemTime
from bot.tournaments.events import Event, Finished, Voided
from bot.tournaments.model import FAULTS
from bot.tournaments.state import Tournament

Note = Callable[[str], None]
MOST_SHARE = 0.05
"""The largest share of the time that may pass without an engine thinking."""
PROGRESS_GAMES = 25


@dataclass(frozen=True)
class HostPlan:
    games: int
    turn_ms: int
    concurrency: int
    board: str | None
    seed: int
    openings: str | None = None

    def settings(self) -> LocalSettings:
        """Return two equal engines, each of which thinks on one core."""
        options = {"Threads": 1, "Hash": 64}
        raw = {
            "name": "host",
            "seed": self.seed,
            "players": [{"name": name, "options": options} for name in ("one", "two")],
            "setups": [{"board": self.board, "clock": f"{self.turn_ms}ms"}],
            "openings": self.openings,
            "games_per_pairing": self.games,
            "concurrency": self.concurrency,
        }
        return settings_of(raw, "bench")


@dataclass(frozen=True)
class HostVerdict:
    """Times are in milliseconds, unless a name says otherwise."""

    games: int
    turns: int
    seconds: float
    time_forfeits: int
    other_faults: int
    voids: int
    host_share: float
    """The share of the playing time in which no engine was thinking."""
    besides_a_turn: float
    """The mean time of a turn without the engine's thinking."""
    host_cpu_a_turn: float
    """Processor time of the host per turn, without the engines."""
    late: dict[str, int] = field(default_factory=dict)
    """Delay of turns that were accepted although they exceeded their limit: median, 99 %,
    highest.
    """

    @property
    def fine(self) -> bool:
        return self.host_share <= MOST_SHARE and not (self.time_forfeits or self.voids)


@dataclass
class _Watched:
    """Observes games as they end."""

    plan: HostPlan
    note: Note
    usage: TimeUsage
    late: list[int] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    voids: int = 0

    def __call__(self, tournament: Tournament, event: Event) -> None:
        self.usage.add(event)
        self.voids += isinstance(event, Voided)
        if not isinstance(event, Finished) or event.record is None:
            return
        times = [turn.time_ms for turn in event.record.turns if turn.time_ms is not None]
        self.late += [max(0, each - self.plan.turn_ms) for each in times]
        if event.result.reason in FAULTS:
            self.faults[event.result.reason] += 1
            self.note(f"game {event.game}: {event.result.message}")
        if (played := len(tournament.played)) % PROGRESS_GAMES == 0:
            self.note(f"{played} of {self.plan.games} games; {self.usage}")


async def measure(plan: HostPlan, note: Note) -> HostVerdict:
    """Raises HostError if it is interrupted."""
    watched = _Watched(plan, note, TimeUsage(plan.concurrency))
    before = time.process_time()
    with TemporaryDirectory(prefix="bluestone-bench-") as folder:
        tournament = await run_event(plan.settings(), Path(folder), SystemTime(), watched, note)
    if tournament is None or tournament.ended is None:
        raise HostError("interrupted")
    return _verdict(watched, len(tournament.played), time.process_time() - before)


def _verdict(watched: _Watched, games: int, cpu_s: float) -> HostVerdict:
    usage, forfeits = watched.usage, watched.faults["time_forfeit"]
    turns = max(1, usage.turns)
    return HostVerdict(
        games=games,
        turns=usage.turns,
        seconds=round(usage.seconds, 1),
        time_forfeits=forfeits,
        other_faults=watched.faults.total() - forfeits,
        voids=watched.voids,
        host_share=round(usage.host_share, 4),
        besides_a_turn=round(usage.busy_s * usage.host_share * 1000 / turns, 2),
        host_cpu_a_turn=round(cpu_s * 1000 / turns, 2),
        late={name: _rank(watched.late, part) for name, part in _RANKS.items()},
    )


_RANKS = {"median": 0.5, "99 %": 0.99, "highest": 1.0}


def _rank(values: Sequence[int], part: float) -> int:
    """Return the smallest value that this share of the values does not exceed; 0 if there
    are none.
    """
    return sorted(values)[math.ceil(part * len(values)) - 1] if values else 0


Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]


@measurement
def host(
    *,
    games: Annotated[Count, Parameter(help="number of games")] = 500,
    time: Annotated[Count, Parameter(help="milliseconds per turn")] = 100,
    concurrency: Annotated[Count, Parameter(help="games at the same time")] = 2,
    board: Board = None,
    openings: Annotated[str | None, Parameter(help="a file of openings, or random:PLIES")] = None,
    seed: Annotated[int, Parameter(help="seed of the random numbers")] = 1,
) -> MeasurementReport:
    """Play two built-in engines on one core each, and report losses on time and the host's share of
    the time.

    The exit code is 1 if a game was lost on time or void, or if no engine was thinking in more than
    5 % of the time. More concurrent games than cores measure something else.
    """
    only_errors_logged()
    plan = HostPlan(games, time, concurrency, board, seed, openings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        found = runner.run(measure(plan, progress))
    rows: list[tuple[str, object, object]] = [
        ("games", found.games, "-"),
        ("turns", found.turns, "-"),
        ("seconds", found.seconds, "-"),
        ("games lost on time", found.time_forfeits, 0),
        ("games lost by another fault", found.other_faults, "-"),
        ("games void, played again", found.voids, 0),
        ("host's share of the time", f"{found.host_share:.1%}", "5 %"),
        ("time per turn besides thinking, ms", found.besides_a_turn, "-"),
        ("processor time of the host per turn, ms", found.host_cpu_a_turn, "-"),
        *(
            (f"late turns that were accepted, ms, {which}", ms, "-")
            for which, ms in found.late.items()
        ),
    ]
    return verdict_report(found, [bounds_table(rows)])
