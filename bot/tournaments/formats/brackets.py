"""Knockout brackets: rounds of matches, each made from how those before ended.

A bracket is a generator: it yields the matches of a round, is sent their outcomes in the same
order, and returns who won it all. A place that nobody fills is None, and whoever is drawn against
it goes on.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

Slot = str | None
Match = tuple[Slot, Slot]


class BracketResult(NamedTuple):
    """Of a match."""

    winner: Slot
    loser: Slot


Rounds = Generator[list[Match], list[BracketResult], Slot]


def seeded(names: Sequence[str]) -> list[Slot]:
    """Places in the order of the bracket: the first meets the last, and the first two can meet in
    the final only. There are byes for the strongest up to a power of two.
    """
    order = [0]
    while len(order) < len(names):
        size = 2 * len(order)
        order = [place for each in order for place in (each, size - 1 - each)]
    return [names[place] if place < len(names) else None for place in order]


def single(slots: Sequence[Slot], *, third: bool) -> Rounds:
    """Who loses is out; with `third` the losers of the semifinals play beside the final."""
    left, lost = list(slots), list[Slot]()
    while len(left) > 1:
        matches = _neighbours(left)
        for_third = third and len(left) == 2 and len(lost) == 2
        results = yield [*matches, (lost[0], lost[1])] if for_third else matches
        left = [each.winner for each in results[: len(matches)]]
        lost = [each.loser for each in results]
    return left[0] if left else None


def double(slots: Sequence[Slot], *, reset: bool) -> Rounds:
    """Who loses twice is out.

    Losers go on in a bracket of their own, which those who lose later join from the other end, so
    that pairs meet again as late as can be. The winners of the two brackets play the grand final,
    and with `reset` once more if that is the first loss of the one from the winners' bracket.
    """
    left, waiting, joining = list(slots), list[Slot](), list[Slot]()
    while len(left) > 1 or len(waiting) > 1 or joining:
        upper = _neighbours(left) if _is_upper_due(left, waiting, joining) else []
        lower = list(zip(waiting, joining, strict=True)) if joining else _neighbours(waiting)
        results = yield upper + lower
        if lower:
            waiting = [each.winner for each in results[len(upper) :]]
        joining = []
        if upper:
            left = [each.winner for each in results[: len(upper)]]
            lost = [each.loser for each in results[: len(upper)]]
            waiting, joining = (waiting, lost[::-1]) if waiting else (lost, [])
    return (yield from _grand_final(left[0], waiting[0] if waiting else None, reset=reset))


def _is_upper_due(left: list[Slot], waiting: list[Slot], joining: list[Slot]) -> bool:
    """The winners' bracket waits while its last losers are still to meet those who lost before."""
    return len(left) > 1 and not joining and len(waiting) in {0, len(left)}


def _grand_final(upper: Slot, lower: Slot, *, reset: bool) -> Rounds:
    (result,) = yield [(upper, lower)]
    if reset and result.winner == lower and None not in result:
        (result,) = yield [(upper, lower)]
    return result.winner


def _neighbours(slots: Sequence[Slot]) -> list[Match]:
    return list(zip(slots[::2], slots[1::2], strict=True))
