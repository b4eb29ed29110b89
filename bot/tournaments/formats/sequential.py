"""Two players who meet until a sequential test is decided or a maximum is reached."""

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field

from bot.tournaments.formats.base import Draw, ReasonedFormat
from bot.tournaments.state import Tournament


class Sequential(ReasonedFormat):
    """The first two entrants meet once per round, with seats swapped from round to round.

    Up to `ahead` pairings run at the same time.
    """

    kind: Literal["sprt"] = "sprt"
    most: Annotated[int, Field(ge=1)] = 10_000
    ahead: Annotated[int, Field(ge=1, le=1000)] = 1

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """One more pairing if fewer than `ahead` are running."""
        del free
        if self._why_enough(tournament) is not None or _under_way(tournament) >= self.ahead:
            return None
        one, two = _names(tournament)
        number = tournament.round + 1
        return Draw(number, ((one, two) if number % 2 else (two, one),))

    def why_over(self, tournament: Tournament) -> str | None:
        """Which player withdrew, or that the maximum is reached; None while games run."""
        return self._why_enough(tournament) if tournament.is_round_complete() else None

    def _why_enough(self, tournament: Tournament) -> str | None:
        if gone := [name for name in _names(tournament) if name in tournament.withdrawn]:
            return f"{gone[0]} withdrew"
        if len(tournament.pairings) >= self.most:
            played = "1 pairing is" if self.most == 1 else f"{self.most} pairings are"
            return f"{played} played, the most that there may be"
        return None


def _under_way(tournament: Tournament) -> int:
    return len({tournament.pairing_of(number).number for number in tournament.left})


def _names(tournament: Tournament) -> tuple[str, str]:
    one, two = (each.name for each in tournament.began.entrants[:2])
    return one, two
