"""Turns of HeXO as cells, and turns as other programs name them."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import engine
from bot.guests.hexo.htttx import Cell, Side

HEXO: Final = "hexo"
OPENING: Final = "0:0"
"""The first turn of every game."""

_STONE: Final = re.compile(r"(-?[0-9]{1,9}):(-?[0-9]{1,9})")


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
