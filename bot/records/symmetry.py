"""Positions up to symmetry: one key for all positions that are reflections or rotations.

A *view* is a way to look at a board: a symmetry of its cells, and in games with two kinds of stones
for each player an exchange of the two colours of one player or of both, because the rules treat
them alike. Of all views of a position, the canonical ones are those whose list of stones is the
smallest. A position that is symmetric itself has several of them, and then turns that are images
of each other have the same canonical form.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import engine
from bot.records.model import score_lists

NO_STONES: Final = "pass"
KEY_LENGTH: Final = 32
"""The length of a key, in hexadecimal digits."""
NOBODY: Final = 0
"""In place of a player: what is on the cell is a mark, not a stone."""
AXIAL_TURNS: Final = 6

Cells = Callable[[str], str]
Placed = tuple[str, int, int]
"""Cell, player and kind of a stone."""


@dataclass(frozen=True)
class BoardView:
    """One way to look at a board; `swaps` are the players whose two colours change places."""

    there: Cells
    back: Cells
    swaps: frozenset[int]

    def kind(self, player: int, kind: int) -> int:
        """The kind that a stone of this player has in the view, and the other way round."""
        return 3 - kind if player in self.swaps else kind


@dataclass(frozen=True)
class Canonical:
    """The key of a position, and its canonical views."""

    key: str
    game: engine.Game
    to_play: int
    views: tuple[BoardView, ...]

    def turn(self, turn: str) -> str:
        """The canonical form of a turn that is played in the position."""
        return min(self._seen(view, turn) for view in self.views)

    def actual(self, turn: str) -> str:
        """The turn of that canonical form in the position, or one of its images."""
        view = self.views[0]
        return self._rewritten(turn, view.back, view)

    def _seen(self, view: BoardView, turn: str) -> str:
        return self._rewritten(turn, view.there, view)

    def _rewritten(self, turn: str, cells: Cells, view: BoardView) -> str:
        placed = self.game.placements(turn)
        if not placed:
            return NO_STONES
        has_kinds = self.game.kinds > 1
        return ",".join(
            sorted(
                (str(view.kind(self.to_play, each.kind)) if has_kinds else "") + cells(each.cell)
                for each in placed
            )
        )


def canonical(position: engine.Position) -> Canonical:
    """The key and the canonical views of a position.

    Two positions have the same key if they have the same game, board, rules and options, number of
    turns and scores, and if their stones, with a cell that the ko rule forbids, are images of each
    other.
    """
    game = position.game
    stones = [(cell, stone.player, stone.kind) for cell, stone in position.stones.items()]
    if position.ko is not None:
        stones.append((position.ko, NOBODY, 1))
    least: list[Placed] | None = None
    found: list[BoardView] = []
    for view in views(game):
        seen = sorted(
            (view.there(cell), player, view.kind(player, kind)) for cell, player, kind in stones
        )
        if least is None or seen < least:
            least, found = seen, [view]
        elif seen == least:
            found.append(view)
    parts = (
        *(game.name, game.board.name, game.rule_set, sorted(game.all_options.items())),
        *(len(position.turns), position.to_play, score_lists(position), least),
    )
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:KEY_LENGTH]
    return Canonical(key, game, position.to_play, tuple(found))


def views(game: engine.Game) -> tuple[BoardView, ...]:
    """All views of a game's board; the one that changes nothing comes first."""
    return _views(game.name, game.board.name)


@lru_cache(maxsize=64)  # more than there are boards
def _views(name: str, board: str) -> tuple[BoardView, ...]:
    game = engine.game(name, board)
    players = (frozenset[int](), frozenset({1}), frozenset({2}), frozenset({1, 2}))
    swaps = players if game.kinds > 1 else players[:1]
    cells = _of_cells(game.board) if game.board.is_bounded else _of_plane()
    return tuple(BoardView(there, back, swap) for there, back in cells for swap in swaps)


def _of_cells(board: engine.Board) -> Sequence[tuple[Cells, Cells]]:
    found = []
    for image in board.symmetries:
        there = {cell: board.cells[image[index]] for index, cell in enumerate(board.cells)}
        back = {seen: cell for cell, seen in there.items()}
        found.append((there.__getitem__, back.__getitem__))
    return found


def _of_plane() -> Sequence[tuple[Cells, Cells]]:
    """The rotations of the unbounded board around its origin, and their mirror images."""
    return [
        (_axial(turns, is_mirrored=mirrored), _axial_back(turns, is_mirrored=mirrored))
        for mirrored in (False, True)
        for turns in range(AXIAL_TURNS)
    ]


def _axial(turns: int, *, is_mirrored: bool) -> Cells:
    def there(cell: str) -> str:
        q, r = _coordinates(cell)
        if is_mirrored:
            q, r = r, q
        return _name(*_rotated(q, r, turns))

    return there


def _axial_back(turns: int, *, is_mirrored: bool) -> Cells:
    def back(cell: str) -> str:
        q, r = _rotated(*_coordinates(cell), AXIAL_TURNS - turns)
        return _name(*((r, q) if is_mirrored else (q, r)))

    return back


def _rotated(q: int, r: int, turns: int) -> tuple[int, int]:
    for _ in range(turns):
        q, r = -r, q + r
    return q, r


def _coordinates(cell: str) -> tuple[int, int]:
    q, _, r = cell.partition(":")
    return int(q), int(r)


def _name(q: int, r: int) -> str:
    return f"{q}:{r}"


def opening_steps(
    game: engine.Game, turns: Sequence[str], most: int
) -> Iterator[tuple[Canonical, str]]:
    """Yield each of the first `most` turns in canonical form, with the position before it.

    Raises IllegalTurn if a turn breaks the rules.
    """
    position = game.start()
    for turn in turns[:most]:
        here = canonical(position)
        yield here, here.turn(game.canonical(turn))
        position = position.play(turn)


def playable(position: engine.Position, turn: str) -> str | None:
    """The turn as the rules accept it, with its stones in either order; None if they do not."""
    for text in (turn, ",".join(reversed(turn.split(",")))):
        if position.is_legal(text):
            return position.game.canonical(text)
    return None
