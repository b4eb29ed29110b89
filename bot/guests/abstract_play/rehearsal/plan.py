"""The plan of a rehearsal."""

from dataclasses import dataclass
from typing import Final

from bot.guests.abstract_play.rehearsal.faults import NASTY, Faults
from bot.guests.abstract_play.rehearsal.opponents import Habits
from bot.rehearsal.rehearsal import RehearsalTerms

HURRIED: Final = Habits(
    think_ms=(50, 2_000),
    between_challenges_ms=(100, 2_000),
    clocks=((12, 6, 24), (18, 6, 24)),
    hour_ms=10_000,
)
"""An hour of the clocks takes ten seconds, so a forgotten game takes four minutes to end."""


@dataclass(frozen=True)
class RehearsalPlan(RehearsalTerms):
    at_once: int = 10
    faults: Faults = NASTY
    sweep_s: float = 5.0
    habits: Habits = HURRIED
