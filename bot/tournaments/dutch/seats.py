"""Who of a pair gets which seat (C.04.3, 5), and the order of the boards (C.04.2)."""

from bot.tournaments.dutch.card import Pair
from bot.tournaments.dutch.players import FIRST, NEITHER, Player


def seated(one: Player, two: Player, *, first_sits_first: bool) -> tuple[Player, Player]:
    """The two, in the order of their seats."""
    higher, lower = sorted((one, two), key=lambda each: (-each.score, each.order))
    seat = _seat_of_higher(higher, lower)
    if seat == NEITHER:
        gets_initial = higher.order % 2 == 0
        seat = FIRST if gets_initial == first_sits_first else -FIRST
    return (higher, lower) if seat == FIRST else (lower, higher)


def _seat_of_higher(higher: Player, lower: Player) -> int:
    """By articles 5.2.1 to 5.2.4; NEITHER if neither has a preference."""
    one, two = higher.colours, lower.colours
    if one.preference != two.preference or one.preference == NEITHER:
        return one.preference or -two.preference
    if _is_stronger(higher, lower):
        return one.preference
    if _is_stronger(lower, higher):
        return -two.preference
    for mine, theirs in zip(higher.history, lower.history, strict=False):
        if mine != theirs:
            return theirs
    return one.preference


def _is_stronger(player: Player, other: Player) -> bool:
    one, two = player.colours, other.colours
    if one.is_absolute:
        return not two.is_absolute or one.imbalance > two.imbalance
    return one.is_strong and not two.is_strong


def boards(pairs: list[tuple[Player, Player | None]]) -> list[Pair]:
    """Pairs by the points of their players; the bye comes last."""
    return [
        (one.number, None if two is None else two.number) for one, two in sorted(pairs, key=_place)
    ]


def _place(pair: tuple[Player, Player | None]) -> tuple[bool, float, float, int]:
    ranked = sorted((-each.card.points, each.order) for each in pair if each is not None)
    return pair[1] is None, ranked[0][0], ranked[-1][0], ranked[0][1]
