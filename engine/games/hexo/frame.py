"""Which part of HeXO's board the compiled kernel sees, and how its codes are named.

A frame has a *centre*: the cell of the board that is in the middle of the kernel's window.
"""

# The problem: the board has no edge, but the kernel has a window of 59 by 59 cells. A search tree
# is kept from turn to turn only if the codes in it keep their meaning.
#
# The idea: the window stays where it is until a stone comes near its edge. Then it moves, so that
# the last stones are in its middle. The centre follows from the order of the stones alone, so that
# every program that replays a game finds the same frame.
#
# If the last stones do not fit into one window, a player walks away. The window then shows the
# place with most of them. The search does not see lines elsewhere, so the window goes where a line
# can be completed in one turn: to one of the player to move, else to one of the opponent.
#
# Rejected: centring the window before every search. It moved after most turns, and each time the
# tree was lost.

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Final

from engine.boards.plane import AXES, Cell, cell_name, cell_of, distance
from engine.games.hexo.state import RADIUS, code_of, coordinates
from engine.games.hexo.unbounded import TO_WIN
from engine.games.mechanics import Frame

INNER: Final = 18
"""The distance from the centre, on each axis, at which a stone moves the window."""
RECENT: Final = 40
"""The last stones, which decide about the centre."""
THREAT: Final = 4
"""Stones on six cells in a row that a player can complete in one turn."""


@dataclass(frozen=True)
class HexoFrame(Frame):
    """The frame with a cell of the board in the middle of the window."""

    centre: Cell

    def code(self, cell: Cell) -> int | None:
        """Return the code of a cell; None if it is outside of the window."""
        q, r = cell[0] - self.centre[0], cell[1] - self.centre[1]
        return code_of(q, r) if max(abs(q), abs(r)) <= RADIUS else None

    def step_name(self, step: int) -> str:
        q, r = coordinates(step)
        return cell_name((q + self.centre[0], r + self.centre[1]))

    def steps_of(self, turn: str) -> tuple[int, ...] | None:
        cells = map(cell_of, turn.split(","))
        codes = [None if cell is None else self.code(cell) for cell in cells]
        steps = tuple(code for code in codes if code is not None)
        return steps if len(steps) == len(codes) else None


def frame_of(stones: Mapping[Cell, int], player: int) -> HexoFrame:
    """Return the frame of a position.

    Args:
        stones: The player of each stone, oldest first.
        player: The player to move.
    """
    placed = list(stones)
    centre = (0, 0)
    for count, stone in enumerate(placed, start=1):
        if not _is_inner(stone, centre):
            centre = _middle(placed[max(0, count - RECENT) : count])
    frame = HexoFrame(centre)
    beyond = [cell for cell in placed if not _is_inner(cell, centre)]
    for owner in (player, 3 - player) if len(beyond) >= THREAT else ():
        lines = list(_threats(stones, owner))
        unseen = [line for line in lines if not all(_is_inner(cell, centre) for cell in line)]
        if unseen and (owner != player or len(unseen) == len(lines)):
            return HexoFrame(unseen[-1][0])
        if lines:
            break
    return frame


def _threats(stones: Mapping[Cell, int], player: int) -> Iterator[list[Cell]]:
    """Yield the stones of each line of six cells that the player can complete in one turn."""
    for (q, r), owner in stones.items():
        for dq, dr in AXES if owner == player else ():
            for back in range(TO_WIN):
                line = [(q + (n - back) * dq, r + (n - back) * dr) for n in range(TO_WIN)]
                owners = [stones.get(cell) for cell in line]
                if owners.count(player) >= THREAT and 3 - player not in owners:
                    yield [cell for cell in line if cell in stones]


def _is_inner(cell: Cell, centre: Cell) -> bool:
    return abs(cell[0] - centre[0]) <= INNER and abs(cell[1] - centre[1]) <= INNER


def _middle(stones: Sequence[Cell]) -> Cell:
    """Return the middle of the stones, or a stone among most of them if they lie too far apart."""
    qs, rs = [q for q, _ in stones], [r for _, r in stones]
    if max(qs) - min(qs) <= 2 * INNER and max(rs) - min(rs) <= 2 * INNER:
        return (max(qs) + min(qs)) // 2, (max(rs) + min(rs)) // 2
    middle = median_low(qs), median_low(rs)
    among = min(stones, key=lambda cell: distance(cell, middle))
    return max(stones[-1], stones[-2], among, key=lambda cell: _weight_around(cell, stones))


def _weight_around(centre: Cell, stones: Sequence[Cell]) -> int:
    """Return the weight of the stones around a cell; later stones weigh more."""
    return sum(age * age for age, cell in enumerate(stones, start=1) if _is_inner(cell, centre))
