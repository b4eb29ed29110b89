"""Results of players whose true ratings are known, with openings that favour a seat."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import NormalDist
from typing import Annotated, Final, Literal

from cyclopts import Parameter, validators

from bot.tournaments.elo import ELO
from bot.tournaments.outcomes import Outcome

OpeningShare = Annotated[
    float,
    Parameter(
        help="share of a game's luck that is its opening's",
        validator=validators.Number(gte=0, lte=1),
    ),
]
FormatName = Literal["round-robin", "swiss"]
NORMAL: Final = NormalDist()


@dataclass(frozen=True)
class World:
    """A world of simulated players. `spread` is the standard deviation of true ratings, `advantage`
    the first seat's, in Elo.

    Of a game's luck, the share `opening` (0 to 1) is the opening's, which is the same for the first
    seat in both games of a pair; this is their correlation. Over all openings a game ends as
    Davidson's model with `nu` has it, so that ratings have a true value.
    """

    spread: float = 150.0
    advantage: float = 40.0
    nu: float = 0.4
    opening: float = 0.5


@dataclass
class Event:
    """One simulated event: its games so far, by true `elo` of the players' numbers."""

    world: World
    elo: Sequence[float]
    random: Random
    games: list[Outcome]

    def meet(self, one: int, other: int) -> None:
        """Play a pair of games, with both seats of one opening."""
        pair = len(self.games) // 2
        opening = self.random.gauss(0, 1)
        for first, second in ((one, other), (other, one)):
            points = self._points(self.elo[first] - self.elo[second], opening)
            self.games.append(Outcome((name(first), name(second)), points, pair))

    def _points(self, ahead: float, opening: float) -> float:
        lead = (ahead + self.world.advantage) / ELO
        win, draw, loss = math.exp(lead / 2), self.world.nu, math.exp(-lead / 2)
        share = self.world.opening
        luck = math.sqrt(share) * opening + math.sqrt(1 - share) * self.random.gauss(0, 1)
        place = NORMAL.cdf(luck) * (win + draw + loss)
        return 0.0 if place < loss else 0.5 if place < loss + draw else 1.0


def name(player: int) -> str:
    return f"player {player:03}"


def true_ratings(world: World, players: int, random: Random) -> list[float]:
    """Return random true ratings with a mean of 0."""
    drawn = [random.gauss(0, world.spread) for _ in range(players)]
    mean = sum(drawn) / players
    return [each - mean for each in drawn]


def play_round_robin(event: Event, rounds: int) -> None:
    """Let each player meet each other one `rounds` times, with a pair of games each time."""
    players = range(len(event.elo))
    for _ in range(rounds):
        for one in players:
            for other in players[one + 1 :]:
                event.meet(one, other)


def play_swiss(event: Event, rounds: int) -> None:
    """Pair neighbours in the standings who have not met, by backtracking.

    One player may sit out.
    """
    players = range(len(event.elo))
    points = dict.fromkeys(players, 0.0)
    met: set[frozenset[int]] = set()
    lots = {player: event.random.random() for player in players}
    for _ in range(rounds):
        standing = sorted(players, key=lambda each: (-points[each], lots[each]))
        paired = _paired(standing[: len(standing) // 2 * 2], met)
        for one, other in paired or ():
            before = len(event.games)
            event.meet(one, other)
            met.add(frozenset((one, other)))
            for game in event.games[before:]:
                points[one] += game.points_of(name(one))
                points[other] += game.points_of(name(other))


def _paired(standing: list[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    """Pair the first player with the next one not met, so that the rest can be paired too."""
    if not standing:
        return []
    first, *rest = standing
    for place, other in enumerate(rest):
        if frozenset((first, other)) not in met:
            others = _paired(rest[:place] + rest[place + 1 :], met)
            if others is not None:
                return [(first, other), *others]
    return None


PLAY: Final[dict[FormatName, Callable[[Event, int], None]]] = {
    "round-robin": play_round_robin,
    "swiss": play_swiss,
}
