"""The progress of a rehearsal on any platform, and its verdict."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition. `found` counts violations, so 0 means that it holds."""

    name: str
    found: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class RehearsalProgress:
    """`counts` are those of the stand-in so far."""

    seconds: float
    games: int
    kills: int
    violations: int
    counts: dict[str, int]


Show = Callable[[RehearsalProgress], None]


@dataclass(frozen=True)
class RehearsalVerdict:
    """`counts` are the events, `checks` the conditions that must hold.

    `slowest_call_ms` is None on a platform that does not call the bot.
    """

    seconds: float
    slowest_turn_s: float
    slowest_call_ms: int | None
    counts: dict[str, int]
    checks: list[Condition] = field(default_factory=list)

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


def line(progress: RehearsalProgress) -> str:
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
