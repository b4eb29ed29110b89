"""Who leads: the lines of a table of standings."""

from collections import Counter
from dataclasses import dataclass

from bot.matches.report.chronicle import Chronicle


@dataclass(frozen=True)
class Placing:
    """`points` are those of games, and of byes; `withdrew` says why, if the player did."""

    place: int
    name: str
    points: float
    won: int
    drawn: int
    lost: int
    byes: int
    withdrew: str | None

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost


def placings(story: Chronicle) -> list[Placing]:
    """By points; those with the same points share a place, and stand in the initial order."""
    scores: Counter[tuple[str, float]] = Counter()
    for game in story.played():
        for seat, name in enumerate(game.scheduled.seats, start=1):
            scores[name, game.result.points(seat)] += 1
    byes = story.tournament.byes
    points = {
        each.name: sum(value * scores[each.name, value] for value in (0.5, 1.0))
        + sum(bye.points for bye in byes if bye.player == each.name)
        for each in story.tournament.entrants
    }
    return [
        Placing(
            place=1 + sum(other > points[name] for other in points.values()),
            name=name,
            points=points[name],
            won=scores[name, 1.0],
            drawn=scores[name, 0.5],
            lost=scores[name, 0.0],
            byes=sum(bye.player == name for bye in byes),
            withdrew=story.tournament.withdrawn.get(name),
        )
        for name in sorted(points, key=lambda name: -points[name])
    ]
