"""The parameters of a rehearsal on the simulated HeXO-Arena."""

from dataclasses import dataclass, field
from typing import Final

from bot.guests.hexo_arena.rehearsal.faults import NONE, Faults, ServerLimits

CHALLENGES_A_DAY: Final = 200
GAMES_A_DAY: Final = 100
GAMES_A_PAIR: Final = 20
DECLARED: Final = frozenset({"about", "version", "repoUrl", "accepts", "levels", "analyzer"})


@dataclass(frozen=True)
class Habits:
    """How the simulated bots play. Times are in seconds, chances from 0 to 1."""

    think_s: tuple[float, float] = (0.01, 0.3)
    answer_s: tuple[float, float] = (0.05, 1.0)
    declines: float = 0.15
    ignores: float = 0.02
    skill: float = 0.8
    resigns: float = 0.01


@dataclass(frozen=True)
class Caps:
    """Daily caps; a rehearsal of hundreds of games needs others than the real ones."""

    challenges: int = CHALLENGES_A_DAY
    games: int = GAMES_A_DAY
    pair: int = GAMES_A_PAIR


@dataclass(frozen=True)
class Scenario:
    """The parameters of a rehearsal."""

    name: str
    token: str
    faults: Faults = NONE
    limits: ServerLimits = field(default_factory=ServerLimits)
    habits: Habits = field(default_factory=Habits)
    caps: Caps = field(default_factory=Caps)
    rivals: int = 12
    owner_twins: int = 1
    """Bots of the same owner, which must not be challenged by the policy."""
    seed: int = 1
    knows: frozenset[str] = DECLARED
    """The keys of a declaration that this server knows."""
