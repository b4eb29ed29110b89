"""Cells with some property in a position, as the steps of lessons ask for them."""

from collections.abc import Callable
from math import dist
from typing import Any, Final

import engine
from tools.lessons.rows import longest_row

NEXT: Final = 1.3
"""Cells and stars nearer than this are neighbours."""
EXACT: Final = 0.05


def found_cells(position: engine.Position, what: str) -> list[str]:
    """The cells that a step asks for.

    `what` is one of: `cells A B`, `group A`, `liberties A`, `uninspired 1`, `closed` (empty cells
    on which the player to move may not place a stone), `open`, `best 1` (all stones of the groups
    with the highest score), `captured_by A,B`, `lost_by A,B` (stones that a turn leaves without
    inspiration), `row 1` (the longest row).
    """
    name, _, rest = what.partition(" ")
    order = {cell: number for number, cell in enumerate(position.shown_board.cells)}
    return sorted(set(WAYS[name](position, rest)), key=lambda cell: order.get(cell, len(order)))


def group(position: engine.Position, cell: str) -> list[str]:
    """The stones of one player and kind that are connected with the stone on a cell."""
    stones, beside = position.stones, _beside(position.game.board)
    found = [cell]
    for each in found:
        found += [
            next_
            for next_ in beside[each]
            if stones.get(next_) == stones[cell] and next_ not in found
        ]
    return found


def liberties(position: engine.Position, cell: str) -> list[str]:
    """The empty cells beside a group."""
    beside = _beside(position.game.board)
    around = {other for each in group(position, cell) for other in beside[each]}
    return [each for each in around if each not in position.stones]


def blue_stones(board: engine.Board, cells: list[str]) -> int:
    """How many blue stones some cells touch."""
    inside = set(cells)
    return sum(
        any(board.cells[cell] in inside for cell in stone.touches) for stone in board.blue_stones
    )


def region(position: engine.Position, cell: str) -> tuple[list[str], int]:
    """The cells around an empty one that the opponent does not occupy, and their blue stones."""
    board, beside = position.game.board, _beside(position.game.board)
    barred = {at for at, stone in position.stones.items() if stone.player != position.to_play}
    found = [cell]
    for each in found:
        found += [other for other in beside[each] if other not in barred and other not in found]
    return found, blue_stones(board, found)


def gazed(position: engine.Position, cell: str) -> int:
    """How many stars a stone gazes at: the first thing in a direction, behind an empty cell."""
    board = position.game.board
    cells = dict(zip(board.positions, board.cells, strict=True))
    places = [*board.positions, *board.stars]
    x, y = board.positions[board.cells.index(cell)]
    count = 0
    for nx, ny in places:
        if not 0 < dist((x, y), (nx, ny)) < NEXT:
            continue
        steps, here = 1, (nx, ny)
        while cells.get(here, cell) not in position.stones:
            steps += 1
            ahead = (x + steps * (nx - x), y + steps * (ny - y))
            found = [place for place in places if dist(place, ahead) < EXACT]
            if not found:
                break
            here = found[0]
        count += here in board.stars and steps > 1
    return count


def _best(position: engine.Position, seat: str) -> list[str]:
    board = position.game.board
    own = [cell for cell, stone in position.stones.items() if stone.player == int(seat)]
    scores = {cell: blue_stones(board, group(position, cell)) for cell in own}
    return [cell for cell in own if scores[cell] == max(scores.values())]


def _closed(position: engine.Position, _rest: str) -> list[str]:
    illegal = position.choices().illegal
    return [cell for cell in illegal if cell not in position.stones]


def _captured_by(position: engine.Position, turn: str) -> list[str]:
    return list(position.play(turn).captured)


def _uninspired(position: engine.Position, seat: str) -> list[str]:
    marked = position.marks
    return [cell for cell in marked if position.stones[cell].player == int(seat)]


def _lost_by(position: engine.Position, turn: str) -> list[str]:
    return [cell for cell in position.play(turn).marks if cell not in position.marks]


def _beside(board: engine.Board) -> dict[str, list[str]]:
    return {
        cell: [board.cells[other] for other in board.adjacency[number]]
        for number, cell in enumerate(board.cells)
    }


WAYS: dict[str, Callable[[engine.Position, str], Any]] = {
    "cells": lambda _position, rest: rest.split(),
    "group": group,
    "liberties": liberties,
    "uninspired": _uninspired,
    "closed": _closed,
    "open": lambda position, _rest: position.choices().legal,
    "best": _best,
    "captured_by": _captured_by,
    "lost_by": _lost_by,
    "row": lambda position, player: longest_row(position, int(player)),
}
