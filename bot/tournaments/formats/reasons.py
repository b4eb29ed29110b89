"""Formats that can say why nothing is paired any more."""

from abc import abstractmethod
from collections.abc import Collection
from typing import Final

from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Part
from bot.tournaments.state import Tournament

ALL_PLAYED: Final = "all rounds are played"
NOBODY_MAY_MEET: Final = "nothing is played: of all who could meet, nobody may"
TOO_FEW: Final = "fewer than two players are left"


class ReasonedFormat(Part):
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
