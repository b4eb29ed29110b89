"""Who did what against whom."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from bot.tournaments.state import PlayedGame, Tournament


@dataclass(frozen=True)
class Meeting:
    """One player's games against another, by number, with the points of each."""

    games: tuple[tuple[PlayedGame, float], ...]

    @property
    def points(self) -> float:
        return sum(points for _game, points in self.games)


def crosstable(tournament: Tournament) -> Mapping[tuple[str, str], Meeting]:
    """By player and opponent; two that have not met are left out."""
    met: defaultdict[tuple[str, str], list[tuple[PlayedGame, float]]] = defaultdict(list)
    for _number, game in sorted(tournament.played.items()):
        first, second = game.scheduled.seats
        met[first, second].append((game, game.result.points(1)))
        met[second, first].append((game, game.result.points(2)))
    return {pair: Meeting(tuple(games)) for pair, games in met.items()}
