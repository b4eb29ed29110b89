"""Scores of the players of a tournament, and the use of time in a run."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import TypeVar

from bot.records.model import GameRecord
from bot.tournaments.events import Event, Finished
from bot.tournaments.model import FAULTS
from bot.tournaments.outcomes import outcomes
from bot.tournaments.pentanomial import Pentanomial, pentanomials, score_interval
from bot.tournaments.state import PlayedGame, Tournament


@dataclass(frozen=True)
class PlayerScore:
    """The score of a player in all games that count. `score` is points per game."""

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    faults: dict[str, int] = field(default_factory=dict)
    """The number of games lost by a fault, by reason."""


@dataclass(frozen=True, kw_only=True)
class PlayerSummary(PlayerScore):
    """A score with bounds. `low` and `high` bound the true score with 95 % confidence.

    The bounds count pairs of games, without repeats and games that were not played.
    """

    low: float
    high: float


Scored = TypeVar("Scored", bound=PlayerScore)


class GameTally:
    """Counts the games of a tournament, each once. It starts from zero after a corrected result."""

    def __init__(self) -> None:
        self._followed: tuple[Tournament, int] | None = None
        """The tournament, and the number of corrections when it was last read."""
        self._begin()

    def _begin(self) -> None:
        self._games = 0
        self._points: defaultdict[str, Counter[float]] = defaultdict(Counter)
        self._faults: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def of(self, tournament: Tournament) -> list[PlayerScore]:
        """The scores of all players, best first."""
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
        for name, points in game.points.items():
            self._points[name][points] += 1
            if points == 0 and game.result.reason in FAULTS:
                self._faults[name][game.result.reason] += 1


def summaries(tournament: Tournament) -> list[PlayerSummary]:
    """The scores of all players with their bounds, best first."""
    counts: defaultdict[str, Pentanomial] = defaultdict(Pentanomial)
    for (name, _), met in pentanomials(outcomes(tournament)).items():
        counts[name] += met
    found = []
    for each in GameTally().of(tournament):
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


@dataclass
class TimeUsage:
    """The use of time in the games of this run, with `concurrency` games at once."""

    concurrency: int
    thinking_ms: int = 0
    turns: int = 0
    _games: list[tuple[datetime, datetime]] = field(default_factory=list)
    """The beginning and the end of each game."""

    def add(self, event: Event) -> None:
        if not isinstance(event, Finished) or (record := event.record) is None:
            return
        self.thinking_ms += _thinking_ms(event, record)
        self.turns += len(record.turns)
        if record.ended_at is not None:
            self._games.append((record.started_at, record.ended_at))

    @property
    def seconds(self) -> float:
        """The seconds from the beginning of the first game to the end of the last."""
        if not self._games:
            return 0.0
        return (max(e for _, e in self._games) - min(b for b, _ in self._games)).total_seconds()

    @property
    def busy_s(self) -> float:
        """The seconds of all slots for games, added up.

        All slots count until the last game begins; after that, those whose game still runs.
        """
        if not self._games:
            return 0.0
        first, last = min(b for b, _ in self._games), max(b for b, _ in self._games)
        rest = sum((end - last).total_seconds() for _, end in self._games if end > last)
        return (last - first).total_seconds() * self.concurrency + rest

    @property
    def host_share(self) -> float:
        """The share (0 to 1) of `busy_s` in which no engine was thinking."""
        return max(0.0, 1 - self.thinking_ms / 1000 / self.busy_s) if self.busy_s else 0.0

    def __str__(self) -> str:
        return (
            f"{self.turns} turns in {self.seconds:.1f} s, {self.concurrency} at once; "
            f"no engine was thinking in {self.host_share:.1%} of the time"
        )


def _thinking_ms(event: Finished, record: GameRecord) -> int:
    """The time in which an engine was thinking.

    A record has no time for a turn that never came, so a game that a fault ended counts as a whole.
    """
    if event.result.reason in FAULTS and record.ended_at is not None:
        return round((record.ended_at - record.started_at).total_seconds() * 1000)
    return sum(turn.time_ms or 0 for turn in record.turns)
