"""How the players of a tournament did, in few figures."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

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


def summaries(tournament: Tournament) -> list[PlayerSummary]:
    """Of all players, whoever has the best score first."""
    found = [player_summary(tournament, each.name) for each in tournament.entrants]
    return sorted(found, key=lambda each: -each.score)


def player_summary(tournament: Tournament, name: str) -> PlayerSummary:
    """Of the games that count; a draw is half a win to Wilson's interval."""
    games = [(game, game.scheduled.seats.index(name) + 1) for game in _games_of(tournament, name)]
    points = [game.result.points(seat) for game, seat in games]
    low, high = wilson_interval(sum(points), len(points))
    faults = Counter(
        game.result.reason
        for game, seat in games
        if game.result.reason in FAULTS and game.result.points(seat) == 0
    )
    return PlayerSummary(
        name=name,
        games=len(points),
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        score=sum(points) / len(points) if points else 0.5,
        low=low,
        high=high,
        faults={str(reason): times for reason, times in faults.items()},
    )


def _games_of(tournament: Tournament, name: str) -> Iterator[PlayedGame]:
    for game in tournament.played.values():
        if name in game.scheduled.seats:
            yield game


def wilson_interval(points: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval for a proportion (J. Am. Stat. Assoc. 22, 1927)."""
    if games == 0:
        return 0.0, 1.0
    share = points / games
    middle = share + z * z / (2 * games)
    spread = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
