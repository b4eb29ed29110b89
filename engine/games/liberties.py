"""Counts of the liberties of a group: the empty cells that it touches.

Both counts stop early, because a group with many liberties is safe for now.
"""

from typing import Final

from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, jitable

ENOUGH: Final = 6
"""The liberties at which a group is safe for now; `liberties_up_to_enough` stops there."""
MANY: Final = 3
"""The number of liberties that one turn cannot fill; `liberties` stops there."""
MOST_CONTACTS: Final = 12
"""The most stones that two cells can touch. A group with more contacts has MANY liberties."""
NO_CELL: Final = -1


@jitable
def liberties_up_to_enough(board: Record, state: Record, root: int) -> int:
    """Return the number of liberties of a group, at most ENOUGH. This overwrites `state.fenced`."""
    count = 0
    cell = root
    for _ in range(int64(state.size[root])):
        if state.free[cell] > 0:
            for k in range(int64(board.degree[cell])):
                other = int64(board.neighbours[cell, k])
                if state.cells[other] == 0 and not contains(state.fenced, count, other):
                    state.fenced[count] = other
                    count += 1
                    if count == ENOUGH:
                        return count
        cell = int64(state.after[cell])
    return count


@jitable
def contains(items: Array, count: int, item: int) -> bool:
    """Return whether `item` is one of the first `count` items."""
    found = False
    for i in range(count):
        found |= bool(items[i] == item)
    return found


@jitable
def liberties(board: Record, state: Record, root: int) -> tuple[int, int, int]:
    """Return the number of liberties of a group, at most MANY, and the first two of them.

    The two cells are NO_CELL if they do not exist or the count ended early.
    """
    if state.contacts[root] > MOST_CONTACTS:
        return MANY, NO_CELL, NO_CELL
    one = two = NO_CELL
    cell = root
    for _ in range(int64(state.size[root])):
        if state.free[cell] >= MANY:
            return MANY, one, two
        if state.free[cell] > 0:
            for k in range(int64(board.degree[cell])):
                other = int64(board.neighbours[cell, k])
                if state.cells[other] == 0 and other not in (one, two):
                    if one < 0:
                        one = other
                    elif two < 0:
                        two = other
                    else:
                        return MANY, one, two
        cell = int64(state.after[cell])
    return int64(one >= 0) + int64(two >= 0), one, two
