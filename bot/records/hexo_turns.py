"""Turns of HeXO as cells, and the turns that lead to stones whose order is not known."""

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

import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

import engine
from bot.records.htttx import Cell, Side

HEXO: Final = "hexo"
ORIGIN: Final[Cell] = (0, 0)
OPENING: Final = "0:0"
"""The first turn of every game."""
RADIUS: Final = 8
MOST_STONES: Final = 1_024
"""More than the longest games of any server have."""
MOST_STATES: Final = 20_000

_STONE: Final = re.compile(r"(-?[0-9]{1,9}):(-?[0-9]{1,9})")


class Unreachable(ValueError):
    """No game leads to these stones."""


class PartialTurn(ValueError):
    """The stones are those of a turn that has begun, which no whole turn can continue."""


class TooHard(ValueError):
    """No order was found within the limits of the search."""


def cells_of(turn: str) -> tuple[Cell, ...]:
    """The stones of a turn string. Raises ValueError if it is not one."""
    found = [_STONE.fullmatch(stone) for stone in turn.split(",")]
    if None in found or len(found) > 2:
        raise ValueError(f"{turn!r} is not a turn of HeXO")
    return tuple((int(each[1]), int(each[2])) for each in found if each is not None)


def turn_of(cells: Iterable[Cell]) -> str:
    """The turn string of one or two stones."""
    return ",".join(f"{q}:{r}" for q, r in cells)


def side_of(player: int) -> Side:
    return "x" if player == 1 else "o"


def stones_by_side(position: engine.Position) -> tuple[list[Cell], list[Cell]]:
    """The stones of x and those of o, in the order in which they were placed."""
    x, o = list[Cell](), list[Cell]()
    for number, turn in enumerate(position.turns):
        (o if number % 2 else x).extend(cells_of(turn))
    return x, o


def with_pair(position: engine.Position, cells: Sequence[Cell]) -> engine.Position:
    """Return the position after a turn of other programs.

    They name two stones even if the first one wins, and in any order, although the second may be
    legal only after the first. Raises IllegalTurn, for the order in which they were named.
    """
    turn = without_surplus(position, turn_of(cells))
    try:
        return position.play(turn)
    except engine.IllegalTurn:
        swapped = without_surplus(position, turn_of(reversed(cells)))
        if len(cells) < 2 or not position.is_legal(swapped):
            raise
        return position.play(swapped)


def without_surplus(position: engine.Position, turn: str) -> str:
    """Return the turn without its second stone if the first one wins.

    Other programs name two stones in that case, because they place both or write pairs only.
    """
    first, comma, _ = turn.partition(",")
    if not comma:
        return turn
    try:
        after = position.play(first)
    except engine.IllegalTurn:
        return turn
    return first if after.over else turn


def ordered(x: Sequence[Cell], o: Sequence[Cell]) -> list[str]:
    """Return turns of a game that lead to these stones, the opening `0:0` first.

    They keep the rules of distance and of whose turn it is; the caller replays them, which finds a
    game that is over. Raises Unreachable, PartialTurn and TooHard.
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
    if more:
        raise PartialTurn("one stone of a turn is on the board and the other is not")
    places = _Order(cells, len(x)).found(cells.index(ORIGIN))
    stones = [cells[place] for place in places]
    pairs = zip(stones[1::2], stones[2::2], strict=True)
    return [turn_of(stones[:1]), *map(turn_of, pairs)]


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
        left = {True: _places(self._x & ~placed), False: _places(~self._x & self._all & ~placed)}
        for number in range(count, self._all.bit_length()):
            yield left[_is_x(number)].pop()

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
