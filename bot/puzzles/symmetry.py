"""The key of a position: equal for positions that differ only by a symmetry.

The key takes the view of the player to move, so a position with the two players exchanged has the
same key. In Blooms the two colours of a player may be exchanged as well.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Final

import engine
from engine.boards.plane import Cell, cell_of

ID_LENGTH: Final = 10
"""Characters of an id: 50 bits, so two of a million puzzles hardly ever share one."""

Placed = tuple[int, int, int, int]
"""Two coordinates of a stone, its kind, and 0 for the player to move or 1 for the other."""
NOBODY: Final = 2
"""In place of a player: the ko rule forbids the cell to the player to move."""


def puzzle_id(position: engine.Position) -> str:
    """Return the id of the puzzle of a position: letters and digits, stable for ever."""
    digest = hashlib.sha256(position_key(position).encode()).digest()
    return base64.b32encode(digest).decode().lower()[:ID_LENGTH]


def position_key(position: engine.Position) -> str:
    """Return a text that is equal for two positions if they are equal up to a symmetry."""
    game = position.game
    images = _plane_images if not game.board.is_bounded else _board_images
    least = min(sorted(image) for image in images(position))
    scores = position.scores if position.to_play == 1 else position.scores[::-1]
    parts = (game.name, game.board.name, game.rule_set, game.options, scores, _passed(position))
    return repr((*parts, least))


def _passed(position: engine.Position) -> bool:
    """Return whether the last turn was a pass, after which another one ends the game."""
    return bool(position.turns) and position.turns[-1] == "pass"


def _board_images(position: engine.Position) -> Iterator[Iterable[Placed]]:
    board = position.game.board
    place = {name: index for index, name in enumerate(board.cells)}
    stones = [
        (place[cell], stone.kind, int(stone.player != position.to_play))
        for cell, stone in position.stones.items()
    ]
    forbidden = [] if position.ko is None else [place[position.ko]]
    for image, kinds in product(board.symmetries, _kinds(position.game.kinds)):
        yield [
            *((image[cell], 0, kinds[side](kind), side) for cell, kind, side in stones),
            *((image[cell], 0, 1, NOBODY) for cell in forbidden),
        ]


def _kinds(count: int) -> list[tuple[Callable[[int], int], Callable[[int], int]]]:
    """Return the ways to name the kinds of the stones of both players."""
    ways = (_same, _other) if count == 2 else (_same,)
    return [(mine, theirs) for mine in ways for theirs in ways]


def _same(kind: int) -> int:
    return kind


def _other(kind: int) -> int:
    return 3 - kind


def _plane_images(position: engine.Position) -> Iterator[Iterable[Placed]]:
    """Yield the twelve turned and mirrored images, each moved to the origin."""
    stones = [
        (_known(name), int(stone.player != position.to_play))
        for name, stone in position.stones.items()
    ]
    for mirror, turns in product((False, True), range(6)):
        moved = [(_turned(cell, mirror, turns), side) for cell, side in stones]
        left = min(cell[0] for cell, _ in moved)
        low = min(cell[1] for cell, _ in moved)
        yield [(q - left, r - low, 1, side) for (q, r), side in moved]


def _turned(cell: Cell, mirror: bool, turns: int) -> Cell:
    q, r = cell[::-1] if mirror else cell
    for _ in range(turns):  # a sixth of a turn around the origin
        q, r = -r, q + r
    return q, r


def _known(name: str) -> Cell:
    cell = cell_of(name)
    assert cell is not None
    return cell
