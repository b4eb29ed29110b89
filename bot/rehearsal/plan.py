"""The plan of a rehearsal, its progress, and its verdict."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.rehearsal.evidence import Check
from bot.rehearsal.faults import NASTY, Faults
from bot.rehearsal.opponents import Habits

HURRIED: Final = Habits(
    think_ms=(50, 2_000),
    between_challenges_ms=(100, 2_000),
    clocks=((12, 6, 24), (18, 6, 24)),
    hour_ms=10_000,
)
"""An hour of the clocks takes ten seconds, so a forgotten game takes four minutes to end."""


@dataclass(frozen=True)
class RehearsalPlan:
    """`command` runs the bot, followed by its settings file. Times are in seconds."""

    folder: Path
    games: int = 50
    at_once: int = 10
    faults: Faults = NASTY
    kills: int = 0
    seed: int = 1
    limit_s: float = 3_600.0
    sweep_s: float = 5.0
    max_turn_s: float = 0.1
    habits: Habits = HURRIED
    command: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Progress:
    """`counts` are those of the stand-in so far."""

    seconds: float
    games: int
    kills: int
    violations: int
    counts: dict[str, int]


Show = Callable[[Progress], None]


@dataclass(frozen=True)
class RehearsalVerdict:
    """`counts` are the events, `checks` the conditions that must hold.

    `slowest_call_ms` is None on a platform that does not call the bot.
    """

    seconds: float
    slowest_turn_s: float
    slowest_call_ms: int | None
    counts: dict[str, int]
    checks: list[Check] = field(default_factory=list)

    @property
    def fine(self) -> bool:
        return not any(check.found for check in self.checks)


LIVE: Final = (
    ("turns of the bot", "turns"),
    ("calls sent", "calls"),
    ("calls lost", "lost"),
    ("calls twice", "twice"),
    ("submissions too many", "429"),
    ("submissions cut after", "cut"),
    ("streams cut", "streams cut"),
    ("websockets cut", "websockets cut"),
    ("requests lost", "requests lost"),
    ("turns lost", "turns lost"),
)
"""Counters of the stand-ins; each has some of them."""


def line(progress: Progress) -> str:
    """Return the most interesting counters in one line."""
    counts = progress.counts
    over = counts.get("games over", 0)
    parts = [f"{progress.seconds:.0f} s", f"{over} of {progress.games} games"]
    parts += [f"{counts[name]} {word}" for name, word in LIVE if counts.get(name)]
    parts += [f"{progress.kills} kills", f"{progress.violations} violations"]
    return ", ".join(parts)


def happened(outcome: RehearsalVerdict) -> list[tuple[str, str]]:
    """Return the counts of events by name, without those that are 0."""
    rows = [
        ("seconds", f"{outcome.seconds:.0f}"),
        ("longest wait for a turn, seconds", f"{outcome.slowest_turn_s:.1f}"),
    ]
    if outcome.slowest_call_ms is not None:
        rows.append(("longest answer of the webhook, ms", f"{outcome.slowest_call_ms}"))
    return rows + [(name, str(count)) for name, count in sorted(outcome.counts.items()) if count]


def must_hold(outcome: RehearsalVerdict) -> list[tuple[str, str, str]]:
    """Return each check with the number of violations and an example."""
    return [(check.name, str(check.found), "; ".join(check.examples)) for check in outcome.checks]
