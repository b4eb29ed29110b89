"""Themes of HeXO: six in a row, threats of it, and how many stones it takes to stop them."""

from collections.abc import Iterable
from itertools import combinations

import engine
from engine.boards.plane import AXES, Cell, cell_of

ROW = 6
THREAT = 4
"""Own stones in a row of six cells without enemy stones that one turn can complete."""
PER_TURN = 2


def hexo_themes(before: engine.Position, after: engine.Position) -> list[str]:
    """Return the themes of the turn between two positions.

    A threat is a row of six cells that one turn could complete.

    - defence: the opponent had threats, and has none afterwards; two-stone-defence: no single
      stone would have stopped them all
    - threat: the solver has a threat afterwards, and the game goes on
    - unstoppable: no turn of the opponent could stop all threats of the solver
    - counter: it defends, and makes a threat
    """
    solver, found = before.to_play, list[str]()
    danger, left = threats(before, 3 - solver), threats(after, 3 - solver)
    defends = bool(danger) and not left and not after.over
    if defends:
        found.append("defence")
    if defends and not can_stop(danger, 1):
        found.append("two-stone-defence")
    own = threats(after, solver)
    if own and not after.over:
        found.append("threat")
        if defends:
            found.append("counter")
        if not left and not can_stop(own, PER_TURN):
            found.append("unstoppable")
    return found


def threats(position: engine.Position, player: int) -> list[frozenset[Cell]]:
    """Return the empty cells of each row of six that one turn of the player could complete."""
    return live_rows(position, player, THREAT)


def live_rows(position: engine.Position, player: int, least: int) -> list[frozenset[Cell]]:
    """Return the empty cells of each row of six with `least` stones or more of one player alone."""
    stones = {cell_of(name): stone.player for name, stone in position.stones.items()}
    own = [cell for cell, owner in stones.items() if owner == player and cell is not None]
    found = set()
    for row in {row for cell in own for row in _rows(cell)}:
        owners = [stones.get(cell) for cell in row]
        if owners.count(player) >= least and owners.count(3 - player) == 0:
            found.add(frozenset(cell for cell in row if cell not in stones))
    return list(found)


def _rows(cell: Cell) -> Iterable[tuple[Cell, ...]]:
    """Return every row of six cells through a cell."""
    for dq, dr in AXES:
        for start in range(1 - ROW, 1):
            yield tuple(
                (cell[0] + (start + step) * dq, cell[1] + (start + step) * dr)
                for step in range(ROW)
            )


def can_stop(dangers: list[frozenset[Cell]], stones: int) -> bool:
    """Return whether that many stones can take a cell of each row in danger."""
    cells = sorted(set().union(*dangers)) if dangers else []
    return any(
        all(danger & set(chosen) for danger in dangers)
        for chosen in combinations(cells, min(stones, len(cells)))
    )
