"""A tournament whose host is killed again and again, and the same one undisturbed."""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import orjson

from bot.bench import misbehaving
from bot.bench.killed_host import Killer, Losses, Note, run_to_its_end
from bot.errors import HostError
from bot.matches.ledger import LEDGER, LedgerContent, read_ledger
from bot.matches.summary import summaries
from bot.tournaments.events import Finished
from bot.tournaments.outcomes import outcomes
from bot.tournaments.ratings import ratings
from bot.tournaments.state import Tournament

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
    """A kill comes by up to so much later than a game that was told of, or than the start."""
    seed: int = 1

    def document(self) -> str:
        """The tournament's file."""
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
class ResumeOutcome:
    """`twice`, `changed`, `different` and what was lost must be 0."""

    games: int
    losses: Losses
    twice: int
    """Games that are in the ledger more than once."""
    changed: int
    """Pairings that are not those of the undisturbed run."""
    different: int
    """Games with another result or other turns than undisturbed."""
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


async def measure(plan: ResumePlan, note: Note) -> ResumeOutcome:
    """Raises HostError if a run does not come to its end."""
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
) -> ResumeOutcome:
    """Raises HostError if one of them is empty."""
    calm, killed = _tournament(expected), _tournament(found)
    times = Counter(e.event.game for e in found.entries if isinstance(e.event, Finished))
    right, got = _games(calm), _games(killed)
    return ResumeOutcome(
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
