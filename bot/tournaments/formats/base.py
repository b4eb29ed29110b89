"""What a format has to say."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from bot.tournaments.model import Bye
from bot.tournaments.state import Tournament


@dataclass(frozen=True)
class Draw:
    """Pairs to be played next; the first of each sits first in its first game."""

    round: int
    pairs: tuple[tuple[str, str], ...]
    byes: tuple[Bye, ...] = ()


class Format(Protocol):
    """Decides from the tournament alone, and always the same: a host asks again after a restart."""

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """What can be paired now; None if nothing before more games are over, or ever.

        `free` are the players who can begin a game now: only formats without rounds look at them.
        """
        ...

    def is_over(self, tournament: Tournament) -> bool:
        """Whether everything was paired and played."""
        ...
