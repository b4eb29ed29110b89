"""The games of a tournament as statistics see them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.tournaments.repeats import repeats
from bot.tournaments.state import Tournament


@dataclass(frozen=True)
class Outcome:
    """A game that counts in statistics. `points` (0, 0.5 or 1) are those of the first seat."""

    seats: tuple[str, str]
    points: float
    pair: int

    def points_of(self, player: str) -> float:
        return self.points if player == self.seats[0] else 1 - self.points


def outcomes(tournament: Tournament) -> list[Outcome]:
    """The games by number, without repeats and without games that were not played.

    A fault during a game counts, because it is part of a player's strength. A no-show, and a result
    that the host gave without a game, say nothing about strength.
    """
    again = {repeat.game for repeat in repeats(tournament.played.values())}
    played = sorted(tournament.played.items())
    return [
        Outcome(game.scheduled.seats, game.result.points(1), game.scheduled.pair)
        for number, game in played
        if number not in again and game.was_played
    ]


def clusters(games: Iterable[Outcome]) -> list[Sequence[Outcome]]:
    """Groups of games that are not independent: those of one pair between the same two players."""
    found: defaultdict[tuple[int, frozenset[str]], list[Outcome]] = defaultdict(list)
    for game in games:
        found[game.pair, frozenset(game.seats)].append(game)
    return list(found.values())
