"""Turns of HeXO that lead to stones whose order is not known."""

# Turns for stones without an order
#
# The problem. Sites send a position as a set of stones, and setups are sets too. The rules know
# games: turns of two stones, each within 8 cells of a stone that is already there. So an order must
# be found in which every stone is near an earlier one and the sides take turns.
#
# The idea. Stones are placed one after the other. A stone *opens* others if they are near it and
# near no earlier stone. A stone that opens nothing never will, so a stone that opens some is at
# least as good: any order with the former first stays valid when the two are exchanged. So the
# search branches only over the stones that open others, and ends as soon as all are open, which on
# real boards is after the first few stones.
#
# Rejected: the order of the distance from the origin. It fails if one side's only way out leads
# through a stone that is farther away than others of the opponent.

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

Cell = tuple[int, int]
"""Axial coordinates q and r."""

ORIGIN: Final[Cell] = (0, 0)
RADIUS: Final = 8
MOST_STONES: Final = 1_024
"""More than the longest games of any server have."""
MOST_STATES: Final = 20_000


class Unreachable(ValueError):
    """No game leads to these stones."""


class PartialTurn(ValueError):
    """The stones are those of a turn that has begun, where whole turns are needed."""


class TooHard(ValueError):
    """No order was found within the limits of the search."""


def ordered(x: Sequence[Cell], o: Sequence[Cell]) -> list[str]:
    """Return turns of a game that lead to these stones, the opening `0:0` first.

    They keep the rules of distance and of whose turn it is. If a side has six in a row, they are
    illegal, or end before the last one. Raises Unreachable, PartialTurn and TooHard.
    """
    stones = in_order(x, o)
    if len(stones) % 2 == 0:
        raise PartialTurn("one stone of a turn is on the board and the other is not")
    return turns_of(stones)


def turns_of(stones: Sequence[Cell]) -> list[str]:
    """Return the turns that place these stones; if they end within a turn, the last is a part."""
    return [_turn_of(stones[:1]), *(_turn_of(stones[n : n + 2]) for n in range(1, len(stones), 2))]


def in_order(x: Sequence[Cell], o: Sequence[Cell]) -> list[Cell]:
    """Return these stones in an order in which a game may place them, the origin first.

    The last one may be the first stone of a turn. The order keeps the rules that `ordered` keeps.
    Raises Unreachable and TooHard.
    """
    cells = [*x, *o]
    if len(set(cells)) < len(cells):
        raise Unreachable("a cell has two stones")
    if len(cells) > MOST_STONES:
        raise TooHard(f"there are more than {MOST_STONES} stones")
    if ORIGIN not in x:
        raise Unreachable("the first stone of x at [0,0] is missing")
    turns, more = divmod(len(cells) - 1, 2)
    o_stones = 2 * ((turns + 1) // 2) + more * (turns + 1) % 2
    if len(o) != o_stones:
        raise Unreachable(f"x has {len(x)} stones and o has {len(o)}, which no game has")
    places = _Order(cells, len(x)).found(cells.index(ORIGIN))
    return [cells[place] for place in places]


class _Order:
    """The search for an order of stones, by their places in a list; sets are bits of a number."""

    def __init__(self, cells: Sequence[Cell], x_count: int) -> None:
        self._near = _near(cells)
        self._all = (1 << len(cells)) - 1
        self._x = (1 << x_count) - 1

    def found(self, origin: int) -> list[int]:
        order: tuple[int, ...] = (origin,)
        waiting = [(1 << origin, self._near[origin], order)]
        seen: set[int] = set()
        while waiting:
            placed, opened, order = waiting.pop()
            if opened == self._all:
                return [*order, *self._rest(placed, len(order))]
            if placed in seen:
                continue
            seen.add(placed)
            if len(seen) > MOST_STATES:
                raise TooHard("no order of the stones was found")
            for place in self._choices(placed, opened, len(order)):
                now_open = opened | self._near[place]
                waiting.append((placed | 1 << place, now_open, (*order, place)))
        raise Unreachable("no order of the stones keeps each within 8 cells of an earlier one")

    def _choices(self, placed: int, opened: int, count: int) -> list[int]:
        """The stones worth trying next, the most promising last."""
        may = _places(opened & ~placed & self._side(count))
        opening = [place for place in may if self._near[place] & ~opened]
        if not opening:
            return may[:1]
        return sorted(opening, key=lambda place: (self._near[place] & ~opened).bit_count())

    def _rest(self, placed: int, count: int) -> Iterable[int]:
        """The stones that are left, in turns, when all of them are open."""
        x, o = self._x & ~placed, ~self._x & self._all & ~placed
        left = {True: iter(_places(x)), False: iter(_places(o))}
        for number in range(count, self._all.bit_length()):
            yield next(left[_is_x(number)])

    def _side(self, count: int) -> int:
        return self._x if _is_x(count) else ~self._x & self._all


def _is_x(count: int) -> bool:
    """Whether x places the next stone when there are `count` of them, at least one."""
    return (count - 1) // 2 % 2 == 1


def _places(bits: int) -> list[int]:
    return [place for place, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]


def _near(cells: Sequence[Cell]) -> list[int]:
    """For each stone the stones within the radius, itself included, as bits."""
    q, r = np.array(cells, dtype=np.int64).T
    dq, dr = q[:, None] - q[None, :], r[:, None] - r[None, :]
    distance = (np.abs(dq) + np.abs(dr) + np.abs(dq + dr)) // 2
    rows = np.packbits(distance <= RADIUS, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


def _turn_of(cells: Iterable[Cell]) -> str:
    return ",".join(f"{q}:{r}" for q, r in cells)
