"""What a player did round by round, as FIDE's report files have it, and what pairs by that."""

from dataclasses import dataclass
from typing import Protocol

from bot.tournaments.formats.outcomes import match_points, was_played
from bot.tournaments.model import Pairing
from bot.tournaments.state import Tournament

Pair = tuple[int, int | None]
"""Two numbers, of which the first has the first seat, or one that has the bye."""


class Unpairable(Exception):
    """No complete pairing of the round keeps to the absolute criteria (FIDE C.04.3, C.1 to C.3)."""


@dataclass(frozen=True)
class Line:
    """A round of a player. Without an opponent it is a bye, or an absence if not `is_bye`."""

    points: float = 0.0
    opponent: int | None = None
    sat_first: bool = False
    was_played: bool = False
    is_bye: bool = False


@dataclass(frozen=True)
class Card:
    """A player's number in the initial order, from 1, and a line for each round before this."""

    number: int
    lines: tuple[Line, ...]
    is_absent: bool = False

    @property
    def points(self) -> float:
        return sum(line.points for line in self.lines)


@dataclass(frozen=True)
class RoundToPair:
    """All that pairs are made from; `forbidden` are numbers that never meet."""

    number: int
    rounds: int
    cards: tuple[Card, ...]
    forbidden: frozenset[frozenset[int]] = frozenset()
    first_sits_first: bool = True
    """The initial colour of C.04.3, E.5: whether the first of all sits first in the first round."""


class SwissPairer(Protocol):
    """A program that knows the Dutch system."""

    def __call__(self, to_pair: RoundToPair) -> list[Pair]:
        """The pairs of a round in the order of their boards; raises Unpairable."""
        ...


def cards(tournament: Tournament) -> tuple[Card, ...]:
    """All who ever entered, in the initial order; those who came late were absent before."""
    numbers = {each.name: place for place, each in enumerate(tournament.entrants, start=1)}
    rounds: list[dict[str, Line]] = [{} for _ in range(tournament.round)]
    for bye in tournament.byes:
        rounds[bye.round - 1][bye.player] = Line(bye.points, is_bye=True)
    for pairing in tournament.pairings.values():
        rounds[pairing.round - 1].update(_lines(tournament, pairing, numbers))
    return tuple(
        Card(
            number,
            tuple(lines.get(name, Line()) for lines in rounds),
            name in tournament.withdrawn,
        )
        for name, number in numbers.items()
    )


def _lines(tournament: Tournament, pairing: Pairing, numbers: dict[str, int]) -> dict[str, Line]:
    points, played = match_points(tournament, pairing), was_played(tournament, pairing)
    return {
        name: Line(share, numbers[other], sat_first=seat == 0, was_played=played)
        for seat, (name, other, share) in enumerate(
            zip(pairing.players, pairing.players[::-1], points, strict=True)
        )
    }
