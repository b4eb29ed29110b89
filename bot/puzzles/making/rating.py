"""The first rating of a puzzle, until the results of its solvers correct it."""

from math import log2
from typing import Final

EASIEST, HARDEST = 700, 2300
BASE: Final = 650
PER_DOUBLING: Final = 110
"""Rating points for each doubling of the playouts that a search needs to find the solution."""
FIRST_LOOK: Final = 8
PER_TURN: Final = 40
"""Rating points for each turn of the line after the solution: a longer idea is harder to see."""
FORCED_BASE: Final = 800
PER_FORCED_TURN: Final = 200
"""Rating points for each further turn of the solver in a win by force."""


def first_rating(found_after: int | None, playouts: int, line: int, *, proved: bool = False) -> int:
    """Return the first rating of a puzzle, on the scale of Glicko-2, to the next ten.

    Args:
        found_after: Playouts after which a search without proofs chooses the solution for good;
            None if it does not within `playouts`.
        playouts: See `found_after`.
        line: Turns of both players that follow the solution.
        proved: Whether the solution wins by force. Then the turns to the win count alone if the
            search without proofs does not find it: for a person it is no harder than its length.
    """
    if found_after is None and proved:
        rating = FORCED_BASE + PER_FORCED_TURN * ((line + 1) // 2)
    else:
        needed = 2 * playouts if found_after is None else found_after
        rating = round(BASE + PER_DOUBLING * log2(needed / FIRST_LOOK) + PER_TURN * line)
    return round(min(HARDEST, max(EASIEST, rating)), -1)
