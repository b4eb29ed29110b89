"""Tie-breaks of events, as FIDE Handbook C.07 defines them (edition of 1 March 2026)."""

from collections.abc import Sequence
from typing import Literal

from bot.tournaments.encounters import Contribution, Record

TieBreak = Literal[
    "buchholz",
    "buchholz_cut_1",
    "sonneborn_berger",
    "direct_encounter",
    "wins",
    "game_points",
]


def buchholz(record: Record, player: str) -> float:
    """8.1: the sum of the opponents' scores."""
    return sum(each.score for each in record.contributions(player))


def buchholz_cut_1(record: Record, player: str) -> float:
    """14.1 and 16.5: without the lowest of what voluntary unplayed rounds gave, or else of all."""
    given = record.contributions(player)
    if not given:
        return 0.0
    voluntary = [each for each in given if each.is_voluntary]
    return sum(each.score for each in given) - min(each.score for each in voluntary or given)


def sonneborn_berger(record: Record, player: str) -> float:
    """9.1: the sum of the opponents' scores, each times the points taken from that opponent."""
    return sum(_product(each) for each in record.contributions(player))


def _product(each: Contribution) -> float:
    return each.score * each.points


def direct_encounter(record: Record, tied: Sequence[str]) -> list[list[str]]:
    """6: the tied players in groups, the best first, by the pairings among themselves.

    With all of these played, by points there (6.2), and each group that is left again by its own.
    Else whoever would be alone at the top whatever the others' missing pairings bring comes first,
    and so on; then the rest again (6.3). Who met several times counts their mean (6.1.2).
    """
    if len(tied) < 2:
        return [list(tied)]
    groups = _by_points(record, tied) if _all_met(record, tied) else _certain(record, tied)
    if len(groups) == 1:
        return groups
    return [part for group in groups for part in direct_encounter(record, group)]


def points_among(record: Record, player: str, tied: Sequence[str]) -> float:
    """6.1: of the pairings with these players."""
    return sum(
        sum(points) / len(points)
        for opponent in tied
        if opponent != player and (points := record.met(player, opponent))
    )


def _all_met(record: Record, tied: Sequence[str]) -> bool:
    return not any(_missing(record, player, tied) for player in tied)


def _missing(record: Record, player: str, tied: Sequence[str]) -> int:
    return sum(not record.met(player, opponent) for opponent in tied if opponent != player)


def _by_points(record: Record, tied: Sequence[str]) -> list[list[str]]:
    points = {player: points_among(record, player, tied) for player in tied}
    return [
        [player for player in tied if points[player] == each]
        for each in sorted(set(points.values()), reverse=True)
    ]


def _certain(record: Record, tied: Sequence[str]) -> list[list[str]]:
    """Those who are ahead for certain, one by one, and the rest."""
    least = {player: points_among(record, player, tied) for player in tied}
    most = {player: least[player] + _missing(record, player, tied) for player in tied}
    ahead: list[list[str]] = []
    rest = list(tied)
    while len(rest) > 1:
        best = max(rest, key=lambda player: least[player])
        if any(most[other] >= least[best] for other in rest if other != best):
            break
        ahead.append([best])
        rest.remove(best)
    return [*ahead, rest]
