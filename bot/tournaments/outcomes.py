"""What statistics see of a tournament: who sat where, who won, and which games are a pair."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.tournaments.repeats import repeats
from bot.tournaments.state import Tournament


@dataclass(frozen=True)
class Outcome:
    """A game that counts; `points` (0, 0.5 or 1) are those of the first seat."""

    seats: tuple[str, str]
    points: float
    pair: int

    def points_of(self, player: str) -> float:
        return self.points if player == self.seats[0] else 1 - self.points


def outcomes(tournament: Tournament) -> list[Outcome]:
    """By number of the game, without repeats and without what nobody played.

    A fault during a game is part of a player's strength and counts; a player who never came, or a
    result that the host gave without a game, says nothing about it.
    """
    again = {repeat.game for repeat in repeats(tournament.played.values())}
    played = sorted(tournament.played.items())
    return [
        Outcome(game.scheduled.seats, game.result.points(1), game.scheduled.pair)
        for number, game in played
        if number not in again and game.was_played
    ]


def clusters(games: Iterable[Outcome]) -> list[Sequence[Outcome]]:
    """Games that depend on each other: those of a pair, between the same two."""
    found: defaultdict[tuple[int, frozenset[str]], list[Outcome]] = defaultdict(list)
    for game in games:
        found[game.pair, frozenset(game.seats)].append(game)
    return list(found.values())
