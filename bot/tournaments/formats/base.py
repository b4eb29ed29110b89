"""What a format answers: the next pairings, and why there are none."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Final, Protocol

from pydantic import Field

from bot.tournaments.model import Bye, FrozenModel, Name
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


FEWEST: Final = 2
"""Every format needs this many players."""
ALL_PLAYED: Final = "all rounds are played"
NOBODY_MAY_MEET: Final = "nothing is played: of all who could meet, nobody may"
TOO_FEW: Final = "fewer than two players are left"


class ReasonedFormat(FrozenModel):
    """A `Format` whose end has a sentence; its options are what a settings file says of it."""

    @abstractmethod
    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """As `Format.due`."""

    @abstractmethod
    def why_over(self, tournament: Tournament) -> str | None:
        """Why everything was paired and played; None while it was not."""

    def is_over(self, tournament: Tournament) -> bool:
        """Whether everything was paired and played."""
        return self.why_over(tournament) is not None


Forbidden = frozenset[Annotated[frozenset[Name], Field(min_length=2, max_length=2)]]
"""Pairs of players that are never paired."""


def seat_balance(tournament: Tournament) -> Counter[str]:
    """For each player, pairings begun in the first seat minus those begun in the second."""
    balance: Counter[str] = Counter()
    for pairing in tournament.pairings.values():
        if not tournament.is_complete(pairing) or tournament.was_played(pairing):
            first, second = pairing.players
            balance[first] += 1
            balance[second] -= 1
    return balance
