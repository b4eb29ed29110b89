"""What is rehearsed, how far it is, and how it went."""

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
"""An hour of the clocks takes ten seconds: whoever forgets a game holds it up for four minutes."""


@dataclass(frozen=True)
class Plan:
    """`command` is what runs the bot, followed by its settings file. Times in seconds."""

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


@dataclass(frozen=True)
class Outcome:
    """`counts` tell what happened, `checks` what must hold."""

    seconds: float
    slowest_turn_s: float
    slowest_call_ms: int
    counts: dict[str, int]
    checks: list[Check] = field(default_factory=list)

    @property
    def fine(self) -> bool:
        return not any(check.found for check in self.checks)
