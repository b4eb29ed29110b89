"""The notation of turns, which all games share."""

from dataclasses import dataclass
from typing import Final

PASS_TEXT: Final = "pass"  # noqa: S105
"""The notation of a pass, in every game that has one."""


def stones_of(turn: str) -> frozenset[str]:
    """Return the steps of a turn without their order, to compare two turns.

    Args:
        turn: A turn string. It need not be legal.

    Returns:
        The steps in lower case. Two strings for the same turn give equal sets.

    Example:
        >>> engine.stones_of("0-0,5-9") == engine.stones_of("5-9, 0-0")
        True
    """
    return frozenset("".join(turn.split()).lower().split(","))


@dataclass(frozen=True)
class Placement:
    """A stone that a turn places."""

    cell: str
    """The name of the cell."""
    kind: int
    """The stone's kind, as in `Stone`."""


def placements(turn: str, kinds: int) -> tuple[Placement, ...]:
    """Return the stones that a turn in canonical form places; `()` for a pass.

    If a player owns several kinds of stones, the digit of the kind precedes the cell.
    """
    if turn == PASS_TEXT:
        return ()
    steps = turn.split(",")
    if kinds == 1:
        return tuple(Placement(step, 1) for step in steps)
    return tuple(Placement(step[1:], int(step[0])) for step in steps)
