"""What people on the platform are like: how long they think, what they play, what they forget."""

from dataclasses import dataclass
from typing import Final

from bot.rehearsal.faults import Span
from bot.rehearsal.game import HOUR_MS

CLOCKS: Final = ((12, 6, 24), (24, 12, 48), (48, 12, 96), (72, 24, 120))
"""Start, increment and maximum, in hours."""
VARIANTS: Final = (
    ("bluestone", ()),
    ("bluestone", ()),
    ("bluestone", ("size-8",)),
    ("blooms", ("size-4",)),
    ("blooms", ("size-5",)),
    ("blooms", ()),
)


@dataclass(frozen=True)
class Habits:
    """Chances from 0 to 1 are for each turn or each challenge; times are milliseconds."""

    think_ms: Span = (10 * 60_000, 20 * HOUR_MS)
    """Most answers come early in this span: its logarithm is drawn evenly."""
    between_challenges_ms: Span = (60_000, HOUR_MS)
    gives_up_ms: int = 60_000
    """After so long a challenge must have got lost; longer than any call can take."""
    resigns: float = 0.003
    forgets: float = 0.002
    """To come back only when the own time has run out."""
    abandons: float = 0.0005
    passes: float = 0.01
    places_one: float = 0.03
    types_freely: float = 0.1
    """With blanks and capitals."""
    bot_opens: float = 0.5
    hard_clock: float = 0.5
    challenges_oddly: float = 0.1
    """To a game that no bot of ours can play, besides."""
    challenges_alike: float = 0.1
    """The next challenge is word for word like the last one, and another one all the same."""
    variants: tuple[tuple[str, tuple[str, ...]], ...] = VARIANTS
    clocks: tuple[tuple[int, int, int], ...] = CLOCKS
    hour_ms: int = HOUR_MS
    """Rehearsals in real time have short hours."""
