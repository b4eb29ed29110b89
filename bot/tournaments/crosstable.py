"""Who took what from whom."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bot.tournaments.state import Tournament


@dataclass(frozen=True)
class CrosstableGame:
    """Seen by the row's player: their points and seat."""

    number: int
    seat: int
    points: float


@dataclass(frozen=True)
class Cell:
    """All games of a row's player with a column's, by number; none if they never met."""

    games: tuple[CrosstableGame, ...] = ()

    @property
    def points(self) -> float:
        return sum(game.points for game in self.games)


@dataclass(frozen=True)
class Crosstable:
    """Rows and columns by rank; a player's own cell is None."""

    names: tuple[str, ...]
    rows: tuple[tuple[Cell | None, ...], ...]


def crosstable(tournament: Tournament, names: Sequence[str]) -> Crosstable:
    """Of these players, in this order: `standings` or ratings give it."""
    games: defaultdict[tuple[str, str], list[CrosstableGame]] = defaultdict(list)
    for number, game in sorted(tournament.played.items()):
        first, second = game.scheduled.seats
        for seat, pair in ((1, (first, second)), (2, (second, first))):
            games[pair].append(CrosstableGame(number, seat, game.result.points(seat)))
    rows = (
        tuple(None if one == other else Cell(tuple(games[one, other])) for other in names)
        for one in names
    )
    return Crosstable(tuple(names), tuple(rows))
