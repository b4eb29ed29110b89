"""How the players of a tournament did, in few figures."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from bot.tournaments.model import FAULTS
from bot.tournaments.state import PlayedGame, Tournament


@dataclass(frozen=True)
class PlayerSummary:
    """`low` and `high` bound the player's true score with 95 % confidence."""

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    faults: dict[str, int] = field(default_factory=dict)
    """Games lost by something else than play, by what it was."""


class Tally:
    """Counts on with a tournament, each game once; anew after a result that was corrected."""

    def __init__(self) -> None:
        self._followed: tuple[Tournament, int] | None = None
        """With its corrections so far."""
        self._begin()

    def _begin(self) -> None:
        self._games = 0
        self._points: defaultdict[str, Counter[float]] = defaultdict(Counter)
        self._faults: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def of(self, tournament: Tournament) -> list[PlayerSummary]:
        """The best score first; a draw is half a win to Wilson's interval."""
        if self._followed != (tournament, tournament.corrections):
            self._followed = tournament, tournament.corrections
            self._begin()
        played = tournament.played
        for game in islice(reversed(played.values()), len(played) - self._games):
            self._count(game)
        self._games = len(played)
        names = [each.name for each in tournament.entrants]
        found = [_summary(name, self._points[name], self._faults[name]) for name in names]
        return sorted(found, key=lambda each: -each.score)

    def _count(self, game: PlayedGame) -> None:
        for seat, name in enumerate(game.scheduled.seats, start=1):
            points = game.result.points(seat)
            self._points[name][points] += 1
            if points == 0 and game.result.reason in FAULTS:
                self._faults[name][game.result.reason] += 1


def summaries(tournament: Tournament) -> list[PlayerSummary]:
    """The best score first; a draw is half a win to Wilson's interval."""
    return Tally().of(tournament)


def summary_of(found: Iterable[PlayerSummary], name: str) -> PlayerSummary:
    return next(each for each in found if each.name == name)


def _summary(name: str, counts: Counter[float], faults: Counter[str]) -> PlayerSummary:
    games, points = counts.total(), counts[1.0] + counts[0.5] / 2
    low, high = wilson_interval(points, games)
    return PlayerSummary(
        name=name,
        games=games,
        wins=counts[1.0],
        draws=counts[0.5],
        losses=counts[0.0],
        score=points / games if games else 0.5,
        low=low,
        high=high,
        faults=dict(faults),
    )


def wilson_interval(points: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval for a proportion (J. Am. Stat. Assoc. 22, 1927)."""
    if games == 0:
        return 0.0, 1.0
    share = points / games
    middle = share + z * z / (2 * games)
    spread = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
