"""How turns are written, in every game alike."""

from dataclasses import dataclass
from typing import Final

PASS_TEXT: Final = "pass"  # noqa: S105
"""How a pass is written, in every game that has one."""


def stones_of(turn: str) -> frozenset[str]:
    """The steps of a turn, whatever their order: equal for two ways to write the same turn."""
    return frozenset("".join(turn.split()).lower().split(","))


@dataclass(frozen=True)
class Placement:
    """A stone that a turn places; `kind` as in `Stone`."""

    cell: str
    kind: int


def placements(turn: str, kinds: int) -> tuple[Placement, ...]:
    """The stones that a turn in canonical form places; none if it is a pass.

    Where a player owns several kinds of stones, a digit before the cell says which.
    """
    if turn == PASS_TEXT:
        return ()
    steps = turn.split(",")
    if kinds == 1:
        return tuple(Placement(step, 1) for step in steps)
    return tuple(Placement(step[1:], int(step[0])) for step in steps)
