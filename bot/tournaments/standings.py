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
"""Without Buchholz, which article 8 forbids here: all players have the same opponents."""


@dataclass(frozen=True)
class Standing:
    """One row of the standings. Players with the same `rank` are tied in all tie-breaks.

    `tie_breaks` has their values in their order. The value of the direct encounter is the points
    against the players who were tied up to it; None if there were none. `pairings` counts the
    pairings that are over, without byes.
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
    """The standings, best first; tied players are in the initial order.

    A pairing counts when it is over. The points of its games count as game points before that.
    """
    ranking = _Ranking(record_of(tournament, is_swiss=is_swiss), _game_points(tournament), order)
    rows: list[Standing] = []
    for group in ranking.ranked():
        rank = len(rows) + 1
        rows += [_row(tournament, ranking, name, rank) for name in group]
    return rows


def by_place(rows: Sequence[Standing], places: Sequence[Sequence[str]]) -> list[Standing]:
    """The rows in the order of the groups of a knockout, best first; a group shares a rank.

    Players who are in no group come last.
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
        """4.2: each tie-break applies within the players who are still tied."""
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
