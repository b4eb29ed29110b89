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
    """14.1 and 16.5: Buchholz without its lowest value; a voluntary unplayed round is cut first."""
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
    """6: the tied players in groups, best first, by the pairings among themselves.

    - If all of them met, the points of these pairings decide (6.2). Each group that is still tied
      is then compared by its own pairings alone.
    - Otherwise a player comes first who would be alone at the top whatever the missing pairings
      bring, and so on. The rest is compared again (6.3).
    - Two players who met several times count the mean of their results (6.1.2).
    """
    if len(tied) < 2:
        return [list(tied)]
    groups = _by_points(record, tied) if _all_met(record, tied) else _certain(record, tied)
    if len(groups) == 1:
        return groups
    return [part for group in groups for part in direct_encounter(record, group)]


def points_among(record: Record, player: str, tied: Sequence[str]) -> float:
    """6.1: the player's points in the pairings with the tied players."""
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
    """The players who are certainly ahead, one by one, then all others as one group."""
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
