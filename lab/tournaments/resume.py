"""A tournament whose host is killed and resumed, compared with an undisturbed one."""

import asyncio
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import orjson
from cyclopts import Parameter, validators

from bot.cli.measurements import (
    MeasurementReport,
    bounds_table,
    measurement,
    progress,
    verdict_report,
)
from bot.errors import HostError
from bot.matches.ledger import LEDGER, LedgerContent, read_ledger
from bot.matches.summary import summaries
from bot.runtime.children import PIPE, PYTHON_M, STDOUT, ChildProcess
from bot.runtime.output import only_errors_logged
from bot.tournaments.events import Finished
from bot.tournaments.outcomes import outcomes
from bot.tournaments.ratings import ratings
from bot.tournaments.state import Tournament
from lab.tournaments import misbehaving

Note = Callable[[str], None]
TOLD: Final = re.compile(r"^game (\d+): ", re.MULTILINE)
LONGEST_S: Final = 3600.0
"""Seconds after which a run counts as failed."""


SPARE: Final = 6
"""Games that are left for after the last kill; some of them end while the kill comes."""


@dataclass
class Losses:
    """The effects of the kills."""

    kills: int = 0
    without_a_game: int = 0
    """Kills of runs that had not reported a game yet."""
    cut: int = 0
    """Lines that a kill had truncated."""
    lost: int = 0
    """Games that were reported or written, and are missing or different in the ledger."""
    changed: int = 0
    """Lines with pairings that have changed since."""


class Killer:
    """Kills runs, and remembers what each had reported and written before."""

    def __init__(
        self, file: Path, out: Path, rng: random.Random, delay_s: float, note: Note
    ) -> None:
        self.losses = Losses()
        self._file = file
        self._out = out
        self._rng = rng
        self._delay_s = delay_s
        self._note = note
        self._told: set[int] = set()
        self._before = b""

    async def play(self, games: int, kills: int) -> None:
        """Play to the end of a tournament of `games` games. Raises HostError."""
        for left in range(kills, 0, -1):
            if not await self._run_and_kill(self._most(games, left)):
                break
            self._look()
        self._told |= await run_to_its_end(self._file, self._out)
        self._look()

    def _most(self, games: int, kills_left: int) -> int:
        """Return how many games the next run may play, to leave some for all later kills."""
        left = games - len(self._told)
        return max(0, min(2 * left // (kills_left + 1), left - SPARE))

    async def _run_and_kill(self, most: int) -> bool:
        """Return False if the run ended by itself before it was killed.

        Raises HostError if it failed.
        """
        process = await _started(self._file, self._out)
        told: set[int] = set()
        try:
            async with asyncio.timeout(LONGEST_S):
                await _hear(process, told, self._rng.randint(0, most))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._rng.uniform(0, self._delay_s)):
                    await _hear(process, told, most + 1)
        finally:
            killed = process.status is None
            process.kill()
            rest, _ = await process.communicate()
        if not killed and process.status:
            raise HostError(f"a run ended by itself: {rest.decode(errors='replace').strip()}")
        told |= games_told(rest)
        self._told |= told
        self.losses.kills += killed
        self.losses.without_a_game += killed and not told
        self._note(f"kill {self.losses.kills} after {len(told)} games, {len(self._told)} in all")
        return killed

    def _look(self) -> None:
        """Check that all complete lines from before are unchanged, except for a truncated line."""
        path = self._out / LEDGER
        data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        self.losses.cut += whole != data
        if not whole.startswith(self._before):
            kept = set(whole.splitlines())
            gone = [line for line in self._before.splitlines() if line not in kept]
            self.losses.lost += sum(b'"finished"' in line for line in gone)
            self.losses.changed += sum(b'"paired"' in line for line in gone)
        self._before = whole
        written = _finished_in(path)
        self.losses.lost += len(self._told - written)
        self._told &= written


async def _started(file: Path, out: Path) -> ChildProcess:
    command = [*PYTHON_M, "bot", "tournament", "run", str(file), "--out", str(out)]
    return await ChildProcess.start(command, stdout=PIPE, stderr=STDOUT)


async def run_to_its_end(file: Path, out: Path) -> set[int]:
    """Run without a kill, and return the reported games. Raises HostError."""
    process = await _started(file, out)
    try:
        said, _ = await asyncio.wait_for(process.communicate(), LONGEST_S)
    finally:
        await process.end(0)
    if process.status:
        raise HostError(f"the tournament did not end: {said.decode(errors='replace')[-500:]}")
    return games_told(said)


async def _hear(process: ChildProcess, told: set[int], most: int) -> None:
    """Add reported games to `told`, until there are `most` or the process has ended."""
    while len(told) < most and (line := await process.output.readline()):
        told |= games_told(line)


def games_told(said: bytes) -> set[int]:
    return {int(number) for number in TOLD.findall(said.decode(errors="replace"))}


def _finished_in(path: Path) -> set[int]:
    events = (entry.event for entry in read_ledger(path).entries)
    return {event.game for event in events if isinstance(event, Finished)}


WAYS: Final = ("silent", "rubbish", "dies")


@dataclass(frozen=True)
class ResumePlan:
    """`builtin` engines and the three that misbehave, each against each other."""

    kills: int
    builtin: int = 5
    games_per_pairing: int = 4
    concurrency: int = 2
    nodes: int = 100
    patience_ms: int = 3000
    delay_s: float = 2.0
    """A kill comes up to this much later than the report of a game, or than the start."""
    seed: int = 1

    def document(self) -> str:
        """Return the tournament's file."""
        tables = [
            f"name = 'killed'\nseed = {self.seed}\nconcurrency = {self.concurrency}",
            f"games_per_pairing = {self.games_per_pairing}",
            f"conduct.patience_ms = {self.patience_ms}",
            f"[[setups]]\nboard = 'pent-4'\nnodes = {self.nodes}",
            *self._players(),
        ]
        return "\n\n".join(tables)

    def _players(self) -> Iterator[str]:
        for number in range(1, self.builtin + 1):
            options = f"{{ Threads = 1, Hash = 16, Level = {max(1, 12 - 2 * number)} }}"
            yield f"[[players]]\nname = 'search {number}'\noptions = {options}"
        for way in WAYS:
            command = [sys.executable, "-I", "-S", str(Path(misbehaving.__file__)), way]
            text = orjson.dumps(command).decode()  # strings of JSON are strings of TOML
            yield f"[[players]]\nname = '{way}'\ncommand = {text}"


@dataclass(frozen=True)
class ResumeVerdict:
    """The verdict. `twice`, `changed`, `different` and losses must be 0."""

    games: int
    losses: Losses
    twice: int
    """Games that are in the ledger more than once."""
    changed: int
    """Pairings that differ from those of the undisturbed run."""
    different: int
    """Games with another result or other turns than in the undisturbed run."""
    equal: bool
    """Whether the final tables are the same: points, faults and ratings of all."""
    voids: int
    faults: dict[str, int]
    undisturbed_s: float
    killed_s: float

    @property
    def fine(self) -> bool:
        wrong = (self.twice, self.changed, self.different, self.losses.lost, self.losses.changed)
        return self.equal and not any(wrong)


async def measure(plan: ResumePlan, note: Note) -> ResumeVerdict:
    """Raises HostError if a run does not end."""
    with TemporaryDirectory(prefix="bluestone-bench-") as name:
        file, calm, killed = (Path(name) / each for each in ("event.toml", "calm", "killed"))
        file.write_text(plan.document())
        note("undisturbed")
        began = time.monotonic()
        await run_to_its_end(file, calm)
        calm_s = time.monotonic() - began
        expected = read_ledger(calm / LEDGER)
        games = len(_tournament(expected).played)
        note(f"killed {plan.kills} times, {games} games")
        killer = Killer(file, killed, random.Random(plan.seed), plan.delay_s, note)
        began = time.monotonic()
        await killer.play(games, plan.kills)
        killed_s = time.monotonic() - began
        return compared(expected, read_ledger(killed / LEDGER), killer.losses, (calm_s, killed_s))


def compared(
    expected: LedgerContent, found: LedgerContent, losses: Losses, seconds: tuple[float, float]
) -> ResumeVerdict:
    """Compare two ledgers. Raises HostError if one of them is empty."""
    calm, killed = _tournament(expected), _tournament(found)
    times = Counter(e.event.game for e in found.entries if isinstance(e.event, Finished))
    right, got = _games(calm), _games(killed)
    return ResumeVerdict(
        games=len(killed.played),
        losses=losses,
        twice=sum(count > 1 for count in times.values()),
        changed=_differing(calm.pairings, killed.pairings),
        different=_differing(right, got),
        equal=_table(calm) == _table(killed),
        voids=killed.voids.total(),
        faults=dict(_faults(killed)),
        undisturbed_s=round(seconds[0], 1),
        killed_s=round(seconds[1], 1),
    )


def _tournament(content: LedgerContent) -> Tournament:
    if content.tournament is None:
        raise HostError("the tournament did not begin")
    return content.tournament


def _games(tournament: Tournament) -> dict[int, object]:
    return {
        number: (game.scheduled, game.result.winner, game.result.reason, game.fingerprint)
        for number, game in tournament.played.items()
    }


def _differing(right: Mapping[int, object], got: Mapping[int, object]) -> int:
    return sum(right.get(number) != got.get(number) for number in right.keys() | got.keys())


def _table(tournament: Tournament) -> object:
    return summaries(tournament), ratings(outcomes(tournament)).rows, tournament.ended


def _faults(tournament: Tournament) -> Counter[str]:
    found = Counter[str]()
    for each in summaries(tournament):
        found.update(each.faults)
    return found


Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]


@measurement
def resume(
    *,
    kills: Annotated[Count, Parameter(help="by SIGKILL, at random moments")] = 30,
    games: Annotated[Count, Parameter(help="of each pair of engines")] = 4,
    engines: Annotated[Count, Parameter(help="in addition to three that misbehave")] = 5,
    nodes: Annotated[Count, Parameter(help="of each turn")] = 100,
    concurrency: Annotated[Count, Parameter(help="games at once")] = 2,
    patience: Annotated[Count, Parameter(help="ms that the host waits for a turn")] = 3000,
    seed: Annotated[int, Parameter(help="seed of the random numbers")] = 1,
) -> MeasurementReport:
    """Kill the host of a round-robin repeatedly, and compare it with an undisturbed one.

    Three of its engines never answer, print invalid lines, or die during a game. The exit code is 1
    unless both runs end with the same table and the same games.
    """
    only_errors_logged()
    plan = ResumePlan(
        kills=kills,
        builtin=engines,
        games_per_pairing=games,
        concurrency=concurrency,
        nodes=nodes,
        patience_ms=patience,
        seed=seed,
    )
    return resume_report(asyncio.run(measure(plan, progress)))


def resume_report(found: ResumeVerdict) -> MeasurementReport:
    """Return the counts of lost, changed and duplicated games, all of which must be 0."""
    losses = found.losses
    rows: list[tuple[str, object, object]] = [
        ("games", found.games, "-"),
        ("kills", losses.kills, "-"),
        ("kills before a game was reported", losses.without_a_game, "-"),
        ("lines truncated by a kill", losses.cut, "-"),
        ("games lost", losses.lost, 0),
        ("games counted twice", found.twice, 0),
        ("pairings changed", found.changed + losses.changed, 0),
        ("games with another course", found.different, 0),
        ("final tables equal", "yes" if found.equal else "no", "yes"),
        ("games void, played again", found.voids, "-"),
        *((f"lost by {why.replace('_', ' ')}", n, "-") for why, n in found.faults.items()),
        ("seconds, undisturbed", found.undisturbed_s, "-"),
        ("seconds, killed", found.killed_s, "-"),
    ]
    return verdict_report(found, [bounds_table(rows)])
