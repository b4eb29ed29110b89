"""The interface of formats, and the code that several formats share."""

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
    """The pairs of players who meet next. The first player of a pair has the first seat."""

    round: int
    pairs: tuple[tuple[str, str], ...]
    byes: tuple[Bye, ...] = ()


class Format(Protocol):
    """Decides who meets next, from the tournament alone.

    The same tournament always gives the same answer, because a host asks again after a restart.
    """

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The next pairs; None if none can be paired until more games are over, or at all.

        `free` are the players who can begin a game now; only formats without rounds use it.
        """
        ...

    def is_over(self, tournament: Tournament) -> bool:
        """Whether everything was paired and played."""
        ...


FEWEST: Final = 2
"""The number of players that every format needs."""
ALL_PLAYED: Final = "all rounds are played"
NOBODY_MAY_MEET: Final = "nothing is played: of all who could meet, nobody may"
TOO_FEW: Final = "fewer than two players are left"


class ReasonedFormat(FrozenModel):
    """A `Format` that states why it is over. Its fields are the options in a settings file."""

    @abstractmethod
    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The next pairs; see `Format.due`."""

    @abstractmethod
    def why_over(self, tournament: Tournament) -> str | None:
        """Why the tournament is over; None while it is not."""

    def is_over(self, tournament: Tournament) -> bool:
        """Whether everything was paired and played."""
        return self.why_over(tournament) is not None


Forbidden = frozenset[Annotated[frozenset[Name], Field(min_length=2, max_length=2)]]
"""The pairs of players who never meet."""


def seat_balance(tournament: Tournament) -> Counter[str]:
    """For each player, the pairings begun in the first seat minus those begun in the second.

    Pairings that were not played do not count.
    """
    balance: Counter[str] = Counter()
    for pairing in tournament.pairings.values():
        if not tournament.is_complete(pairing) or tournament.was_played(pairing):
            first, second = pairing.players
            balance[first] += 1
            balance[second] -= 1
    return balance
