"""Draws a position with characters: each cell in its place on the board, with its name."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from rich.text import Text

import engine
from engine.boards.grid import Board, Point


@dataclass(frozen=True)
class Symbols:
    """The characters of the marks. `stones` has a pair for each kind of stone, by seat.

    `last` are the stones of the last turn, `marked` those that the game marks with a word.
    """

    stones: tuple[str, str]
    last: tuple[str, str]
    marked: str
    captured: str
    blue: str
    star: str

    def all(self) -> str:
        return "".join((*self.stones, *self.last, self.marked, self.captured, self.blue, self.star))


UNICODE: Final = Symbols(("●○", "■□"), ("◉◎", "▣▤"), "◐◑", captured="×", blue="◆", star="✶")
ASCII: Final = Symbols(("XO", "ZQ"), ("#@", "%&"), "!?", captured="+", blue="*", star="*")

_STONE_STYLES: Final = (
    ("bold black on dark_orange", "bold black on white"),
    ("bold white on red3", "bold black on yellow1"),
)
_EMPTY_STYLE: Final = "dim"
_CAPTURED_STYLE: Final = "bold red"
_BLUE_STYLE: Final = "bold dodger_blue1"
_STAR_STYLE: Final = "bold yellow"
_CHOSEN_STYLE: Final = "bold black on green"

# Rows of text per unit of board distance. On the pentagon, neighbours lie in all directions, and
# this keeps their names apart. On other boards a row of cells takes two rows of text.
_PENTAGON_ROWS: Final = 2.5
_SQUARE_ROWS: Final = 2.0
_HEXAGON_ROWS: Final = 2 / 0.75**0.5
_ROWS: Final = {"pent": _PENTAGON_ROWS, "square": _SQUARE_ROWS}


def draw_board(
    position: engine.Position, symbols: Symbols = UNICODE, chosen: Collection[str] = ()
) -> Text:
    """Return the board as lines of styled text, with the cells in `chosen` highlighted.

    A cell shows its name after a mark: a stone, a new stone, a stone just captured, or a blank.
    """
    board = position.shown_board
    canvas = _Canvas(board)
    for blue in board.blue_stones:
        canvas.put(blue.position, 0, symbols.blue, _BLUE_STYLE)
    for star in board.stars:
        canvas.put(star, 0, symbols.star, _STAR_STYLE)
    marks = _marks(position, symbols)
    for cell in board.cells:
        mark, style = marks.get(cell, (" ", _EMPTY_STYLE))
        token = (mark + cell).ljust(canvas.token_width)
        canvas.put(board.position(cell), 2, token, _CHOSEN_STYLE if cell in chosen else style)
    return canvas.text()


def last_cells(position: engine.Position) -> frozenset[str]:
    """Return the cells on which the last turn placed stones."""
    if not position.turns:
        return frozenset()
    placed = position.game.placements(position.turns[-1])
    return frozenset(placement.cell for placement in placed)


def legend(position: engine.Position, symbols: Symbols = UNICODE) -> Text:
    """Return the meanings of the marks, on one line."""
    text, game = Text(), position.game
    for seat in (1, 2):
        text.append(f"player {seat} ")
        for kind in range(game.kinds):
            digit = str(kind + 1) if game.kinds > 1 else ""
            text.append(f" {digit}{symbols.stones[kind][seat - 1]} ", _STONE_STYLES[kind][seat - 1])
        last = " ".join(symbols.last[kind][seat - 1] for kind in range(game.kinds))
        text.append(f" (last turn {last})   ")
    for word in sorted(set(position.marks.values())):
        text.append(f"{' '.join(symbols.marked)} {word}   ")
    others = [(symbols.captured, _CAPTURED_STYLE, "just captured")] * bool(position.captured)
    others += [(symbols.blue, _BLUE_STYLE, "blue stone")] * bool(game.board.blue_stones)
    others += [(symbols.star, _STAR_STYLE, "star")] * bool(game.board.stars)
    for symbol, style, meaning in others:
        text.append(symbol, style)
        text.append(f" {meaning}   ")
    text.rstrip()
    return text


def symbols_for(encoding: str) -> Symbols:
    """Return Unicode symbols if the terminal's encoding has the characters, otherwise ASCII."""
    try:
        UNICODE.all().encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def _marks(position: engine.Position, symbols: Symbols) -> dict[str, tuple[str, str]]:
    fresh = last_cells(position)
    marks = dict.fromkeys(position.captured, (symbols.captured, _CAPTURED_STYLE))
    for cell, stone in position.stones.items():
        seat, kind = stone.player - 1, stone.kind - 1
        mark = (symbols.last if cell in fresh else symbols.stones)[kind][seat]
        if cell in position.marks:
            mark = symbols.marked[seat]
        marks[cell] = (mark, _STONE_STYLES[kind][seat])
    return marks


class _Canvas:
    """Rows of characters, with board points scaled to columns and rows."""

    def __init__(self, board: Board) -> None:
        self.token_width = 1 + max(map(len, board.cells))
        points = [board.position(cell) for cell in board.cells]
        points += [*(blue.position for blue in board.blue_stones), *board.stars]
        self._rows_a_unit = _ROWS.get(board.kind, _HEXAGON_ROWS)
        self._columns_a_unit = self.token_width + 1
        self._left = min(x for x, _ in points)
        self._top = min(y for _, y in points)
        self._tokens: dict[int, list[tuple[int, str, str]]] = {}

    def put(self, point: Point, shift: int, token: str, style: str) -> None:
        """Write a token so that its character number `shift` is at the point."""
        column = int((point[0] - self._left) * self._columns_a_unit + 0.5) - shift
        row = int((point[1] - self._top) * self._rows_a_unit + 0.5)
        self._tokens.setdefault(row, []).append((column, token, style))

    def text(self) -> Text:
        margin = -min(column for row in self._tokens.values() for column, _, _ in row)
        lines = [
            self._line(self._tokens.get(row, []), margin) for row in range(max(self._tokens) + 1)
        ]
        return Text("\n").join(lines)

    @staticmethod
    def _line(tokens: list[tuple[int, str, str]], margin: int) -> Text:
        line = Text()
        for column, token, style in sorted(tokens):
            line.append(" " * (column + margin - len(line)))
            line.append(token.rstrip(), style)
        return line
