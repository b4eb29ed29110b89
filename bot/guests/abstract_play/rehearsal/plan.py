"""The plan of a rehearsal."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.guests.abstract_play.rehearsal.faults import NASTY, Faults
from bot.guests.abstract_play.rehearsal.opponents import Habits

HURRIED: Final = Habits(
    think_ms=(50, 2_000),
    between_challenges_ms=(100, 2_000),
    clocks=((12, 6, 24), (18, 6, 24)),
    hour_ms=10_000,
)
"""An hour of the clocks takes ten seconds, so a forgotten game takes four minutes to end."""


@dataclass(frozen=True)
class RehearsalPlan:
    """`engine` is a built-in one. Times are in seconds."""

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
    engine: str = "search"
