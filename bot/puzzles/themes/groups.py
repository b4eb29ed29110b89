"""Groups of connected stones, and what the turn of a puzzle changes about them."""

from collections.abc import Iterator

import engine

Group = frozenset[str]
"""The cells of a connected set of stones of one player and one kind."""


def groups_of(position: engine.Position, player: int) -> list[Group]:
    """Return the groups of a player; stones of different kinds never form one group."""
    stones, board = position.stones, position.game.board
    left = {cell for cell, stone in stones.items() if stone.player == player}
    groups = []
    while left:
        start = left.pop()
        group, open_cells = {start}, [start]
        while open_cells:
            for near in board.neighbours(open_cells.pop()):
                if near in left and stones[near] == stones[start]:
                    left.remove(near)
                    group.add(near)
                    open_cells.append(near)
        groups.append(frozenset(group))
    return groups


def around(position: engine.Position, cells: Group) -> set[str]:
    """Return the cells next to a set of cells, without the set."""
    board = position.game.board
    return {near for cell in cells for near in board.neighbours(cell)} - cells


def empty_around(position: engine.Position, cells: Group) -> set[str]:
    """Return the empty cells next to a set of cells: its liberties."""
    return around(position, cells) - position.stones.keys()


def placed(before: engine.Position, after: engine.Position) -> Iterator[str]:
    """Yield the cells of the stones that the last turn has placed."""
    for placement in before.game.placements(after.turns[-1]):
        yield placement.cell
