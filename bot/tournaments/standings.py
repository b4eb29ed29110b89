"""Standings of an event: points of pairings, then tie-breaks in the order that its settings give.

FIDE leaves the points of a pairing to the organiser. The player with more points in its games gets
1, the other 0; equal points give 0.5 to each, and if neither player came, both get 0.

- A stopped pairing counts the games that were played. Without any, it is an unplayed draw that
  neither player requested.
- A replaced result counts as the host gave it. A pairing that only the host decided is unplayed.
- A withdrawn player keeps the points; the rounds after the withdrawal are byes of 0 points.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.tournaments.encounters import Record, record_of
from bot.tournaments.state import Tournament
from bot.tournaments.tie_breaks import (
    TieBreak,
    buchholz,
    buchholz_cut_1,
    direct_encounter,
    points_among,
    sonneborn_berger,
)

SWISS_ORDER: Final[tuple[TieBreak, ...]] = (
    "buchholz_cut_1",
    "buchholz",
    "direct_encounter",
    "wins",
    "sonneborn_berger",
)
ROUND_ROBIN_ORDER: Final[tuple[TieBreak, ...]] = (
    "direct_encounter",
    "wins",
    "sonneborn_berger",
    "game_points",
)
"""Without Buchholz: there all players have the same opponents (article 8 forbids it)."""


@dataclass(frozen=True)
class Standing:
    """A row. Players with the same `rank` are tied in everything; the next rank skips their number.

    `tie_breaks` are in their order; the direct encounter's are points against those who were tied
    until then, None if there were none. `pairings` counts those that are over, byes left out.
    """

    rank: int
    name: str
    points: float
    game_points: float
    games: int
    pairings: int
    tie_breaks: dict[TieBreak, float | None]
    withdrawn: str | None = None


def standings(
    tournament: Tournament, order: Sequence[TieBreak], *, is_swiss: bool
) -> list[Standing]:
    """The best first; tied players in the initial order. Pairings that are not over do not count,
    but the points of their games that are do.
    """
    ranking = _Ranking(record_of(tournament, is_swiss=is_swiss), _game_points(tournament), order)
    rows: list[Standing] = []
    for group in ranking.ranked():
        rank = len(rows) + 1
        rows += [_row(tournament, ranking, name, rank) for name in group]
    return rows


def by_place(rows: Sequence[Standing], places: Sequence[Sequence[str]]) -> list[Standing]:
    """The rows in the order of these groups, best first, each of which shares a rank, as knockouts
    have them. Who entered late has no place, and comes last.
    """
    of = {row.name: row for row in rows}
    placed = {name for group in places for name in group}
    groups = [*places, [row.name for row in rows if row.name not in placed]]
    ranked: list[Standing] = []
    for group in groups:
        rank = len(ranked) + 1
        ranked += [replace(of[name], rank=rank) for name in group]
    return ranked


class _Ranking:
    def __init__(
        self, record: Record, game_points: Mapping[str, list[float]], order: Sequence[TieBreak]
    ) -> None:
        self.record = record
        self.game_points = game_points
        self.order = order
        self.values: defaultdict[str, dict[TieBreak, float | None]] = defaultdict(dict)
        for name in record.of:
            for each in order:
                if each != "direct_encounter":
                    self.values[name][each] = self._figures[each](name)
                else:
                    self.values[name][each] = None

    @property
    def _figures(self) -> dict[TieBreak, Callable[[str], float]]:
        return {
            "buchholz": lambda name: buchholz(self.record, name),
            "buchholz_cut_1": lambda name: buchholz_cut_1(self.record, name),
            "sonneborn_berger": lambda name: sonneborn_berger(self.record, name),
            "wins": lambda name: float(self.record.wins(name)),
            "game_points": lambda name: sum(self.game_points[name]),
        }

    def ranked(self) -> list[list[str]]:
        """4.2: each tie-break within those who are tied still."""
        groups = _split(list(self.record.of), self.record.points)
        for tie_break in self.order:
            groups = [part for group in groups for part in self._parted(group, tie_break)]
        return groups

    def _parted(self, group: list[str], tie_break: TieBreak) -> list[list[str]]:
        if len(group) == 1:
            return [group]
        if tie_break != "direct_encounter":
            return _split(group, lambda name: self.values[name][tie_break] or 0.0)
        for name in group:
            self.values[name][tie_break] = points_among(self.record, name, group)
        return direct_encounter(self.record, group)


def _split(names: Sequence[str], figure: Callable[[str], float]) -> list[list[str]]:
    groups: defaultdict[float, list[str]] = defaultdict(list)
    for name in names:
        groups[figure(name)].append(name)
    return [groups[each] for each in sorted(groups, reverse=True)]


def _game_points(tournament: Tournament) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {each.name: [] for each in tournament.entrants}
    for game in tournament.played.values():
        for name, points in game.points.items():
            found[name].append(points)
    return found


def _row(tournament: Tournament, ranking: _Ranking, name: str, rank: int) -> Standing:
    encounters = ranking.record.of[name]
    return Standing(
        rank=rank,
        name=name,
        points=ranking.record.points(name),
        game_points=sum(ranking.game_points[name]),
        games=len(ranking.game_points[name]),
        pairings=sum(each.opponent is not None for each in encounters),
        tie_breaks=ranking.values[name],
        withdrawn=tournament.withdrawn.get(name),
    )
