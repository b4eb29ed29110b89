"""Rows on the unbounded board of HeXO: the longest one, and lines that one turn can complete."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import engine

Place = tuple[int, int]
Pair = tuple[Place, ...]

GOAL: Final = 6
STONES_A_TURN: Final = 2
AXES: Final = ((1, 0), (0, 1), (1, -1))


def place_of(cell: str) -> Place:
    """The place of the cell `q:r`."""
    q, r = map(int, cell.split(":"))
    return q, r


def name_of(place: Place) -> str:
    """The cell at a place."""
    return f"{place[0]}:{place[1]}"


def longest_row(position: engine.Position, player: int) -> list[str]:
    """The cells of a player's longest row; of the first one, if several are equally long."""
    own = {place_of(cell) for cell, stone in position.stones.items() if stone.player == player}
    rows = [_row(start, axis, own) for start in sorted(own) for axis in AXES]
    return [name_of(place) for place in max(rows, key=len)]


def _row(start: Place, axis: Place, own: set[Place]) -> list[Place]:
    row = [start]
    while (following := (row[-1][0] + axis[0], row[-1][1] + axis[1])) in own:
        row.append(following)
    return row


def threats(stones: dict[Place, int], player: int, more: int = 0) -> list[frozenset[Place]]:
    """The sets of empty cells with which a player completes six in a row in one turn.

    With `more`, also those that need so many stones more.
    """
    found = set()
    for window in _windows(stones):
        owners = [stones.get(place, 0) for place in window]
        missing = frozenset(place for place in window if place not in stones)
        if 3 - player not in owners and len(missing) <= STONES_A_TURN + more:
            found.add(missing)
    return sorted(found, key=sorted)


def _windows(stones: dict[Place, int]) -> Iterator[list[Place]]:
    for q, r in stones:
        for dq, dr in AXES:
            for back in range(GOAL):
                yield [(q + (n - back) * dq, r + (n - back) * dr) for n in range(GOAL)]


def stops(stones: dict[Place, int], player: int) -> list[Pair]:
    """The pairs of cells that take away all threats of a player."""
    open_ = threats(stones, player)
    pairs = combinations(sorted(set().union(*open_)), STONES_A_TURN)
    return [pair for pair in pairs if all(missing & set(pair) for missing in open_)]


def unstoppable(stones: dict[Place, int], player: int, near: set[Place]) -> list[Pair]:
    """The turns on some cells after which a player has more threats than two stones can stop.

    Both stones of these turns are on lines with two stones of the player.
    """
    lines = threats(stones, player, more=STONES_A_TURN)
    cells = sorted(set().union(*lines) & near)
    return [
        pair
        for pair in combinations(cells, STONES_A_TURN)
        if not _stoppable([line - set(pair) for line in lines])
    ]


def _stoppable(lines: list[frozenset[Place]]) -> bool:
    """Whether two stones can stop all lines that need at most two."""
    open_ = [line for line in lines if len(line) <= STONES_A_TURN]
    if not open_:
        return True
    for first in open_[0]:
        rest = [line for line in open_ if first not in line]
        if not rest or frozenset.intersection(*rest):
            return True
    return False
