"""Knockout brackets: rounds of matches, each made from the results of the rounds before.

A bracket is a generator. It yields the matches of a round, receives their results in the same order
and returns the winner of the bracket. A slot without a player is None; its opponent advances.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

Slot = str | None
Match = tuple[Slot, Slot]


class BracketResult(NamedTuple):
    """The winner and the loser of one match of a bracket."""

    winner: Slot
    loser: Slot


Rounds = Generator[list[Match], list[BracketResult], Slot]


def seeded(names: Sequence[str]) -> list[Slot]:
    """The slots of a bracket: the first seed meets the last, and the first two only in the final.

    Empty slots, up to a power of two, give byes to the highest seeds.
    """
    order = [0]
    while len(order) < len(names):
        size = 2 * len(order)
        order = [place for each in order for place in (each, size - 1 - each)]
    return [names[place] if place < len(names) else None for place in order]


def single(slots: Sequence[Slot], *, third: bool) -> Rounds:
    """A player who loses is out; with `third`, the losers of the semifinals meet once more."""
    left, lost = list(slots), list[Slot]()
    while len(left) > 1:
        matches = _neighbours(left)
        for_third = third and len(left) == 2 and len(lost) == 2
        results = yield [*matches, (lost[0], lost[1])] if for_third else matches
        left = [each.winner for each in results[: len(matches)]]
        lost = [each.loser for each in results]
    return left[0] if left else None


def double(slots: Sequence[Slot], *, reset: bool) -> Rounds:
    """A player who loses twice is out.

    Losers continue in a losers' bracket. Players who lose later join it from the other end, so that
    pairs meet again as late as possible. The winners of the two brackets play the grand final. With
    `reset` they play again if the player from the winners' bracket loses it.
    """
    # `left` is the winners' bracket, and `waiting` the losers' bracket. The losers of a later round
    # of the winners' bracket are `joining`: they meet the players of `waiting`, in reverse order.
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
    """Whether the winners' bracket plays; it waits until the losers' bracket has caught up."""
    return len(left) > 1 and not joining and len(waiting) in {0, len(left)}


def _grand_final(upper: Slot, lower: Slot, *, reset: bool) -> Rounds:
    (result,) = yield [(upper, lower)]
    if reset and result.winner == lower and None not in result:
        (result,) = yield [(upper, lower)]
    return result.winner


def _neighbours(slots: Sequence[Slot]) -> list[Match]:
    return list(zip(slots[::2], slots[1::2], strict=True))
