"""How the players of a tournament did, in few figures."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from bot.tournaments.model import FAULTS
from bot.tournaments.outcomes import outcomes
from bot.tournaments.pentanomial import Pentanomial, pentanomials, score_interval
from bot.tournaments.state import PlayedGame, Tournament


@dataclass(frozen=True)
class PlayerScore:
    """All games that count; `score` is points a game."""

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    faults: dict[str, int] = field(default_factory=dict)
    """Games lost by something else than play, by what it was."""


@dataclass(frozen=True, kw_only=True)
class PlayerSummary(PlayerScore):
    """`low` and `high` bound the player's true score with 95 % confidence, from pairs of games
    without repeats and without games that nobody played.
    """

    low: float
    high: float


Scored = TypeVar("Scored", bound=PlayerScore)


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

    def of(self, tournament: Tournament) -> list[PlayerScore]:
        """The best score first."""
        if self._followed != (tournament, tournament.corrections):
            self._followed = tournament, tournament.corrections
            self._begin()
        played = tournament.played
        for game in islice(reversed(played.values()), len(played) - self._games):
            self._count(game)
        self._games = len(played)
        names = [each.name for each in tournament.entrants]
        found = [_score(name, self._points[name], self._faults[name]) for name in names]
        return sorted(found, key=lambda each: -each.score)

    def _count(self, game: PlayedGame) -> None:
        for seat, name in enumerate(game.scheduled.seats, start=1):
            points = game.result.points(seat)
            self._points[name][points] += 1
            if points == 0 and game.result.reason in FAULTS:
                self._faults[name][game.result.reason] += 1


def summaries(tournament: Tournament) -> list[PlayerSummary]:
    """The best score first."""
    counts: defaultdict[str, Pentanomial] = defaultdict(Pentanomial)
    for (name, _), met in pentanomials(outcomes(tournament)).items():
        counts[name] += met
    found = []
    for each in Tally().of(tournament):
        low, high = score_interval(counts[each.name])
        found.append(PlayerSummary(**vars(each), low=low, high=high))
    return found


def summary_of(found: Iterable[Scored], name: str) -> Scored:
    return next(each for each in found if each.name == name)


def _score(name: str, counts: Counter[float], faults: Counter[str]) -> PlayerScore:
    games, points = counts.total(), counts[1.0] + counts[0.5] / 2
    return PlayerScore(
        name=name,
        games=games,
        wins=counts[1.0],
        draws=counts[0.5],
        losses=counts[0.0],
        score=points / games if games else 0.5,
        faults=dict(faults),
    )
