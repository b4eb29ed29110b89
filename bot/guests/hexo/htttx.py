"""The notations of the HeXO community, htttx 1 and 2, as values; `write` writes them.

htttx 1: https://github.com/hex-tic-tac-toe/hexagonal-tic-tac-toe-notation
htttx 2: https://github.com/hex-tic-tac-toe/htttx-notation

`bot.guests.hexo.htttx_reading` reads them. What the two say about a game is in
`bot.guests.hexo.records`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Cell = tuple[int, int]
"""Axial coordinates q and r: +q is right, +r is up and right."""
Side = Literal["x", "o"]
Version = Literal[1, 2]

KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
LABEL: Final = re.compile(r"[A-Z0-9]{1,20}")
MOST_DIGITS: Final = 9
MOST_VALUE: Final = 1_000
MOST_TAGS: Final = 64
MOST_TURNS: Final = 20_000
"""In the whole notation, variations included."""
MOST_SETUP: Final = 20_000
MOST_VISUALS: Final = 2_000
"""At one stone."""
DEEPEST: Final = 32
"""How deep variations may be nested."""
MOST_CHARACTERS: Final = 1 << 20
VERSION: Final = "version"
INDENT: Final = "  "


@dataclass(frozen=True)
class Evaluation:
    """Positive numbers are good for x.

    `kind` is `%` for an advantage, usually from -100 to 100, or `#` for the number of turns in
    which a side wins.
    """

    kind: Literal["%", "#"]
    number: int


@dataclass(frozen=True)
class Visual:
    """A mark of a cell: a highlight, which is a letter or `` for the neutral one, and a label."""

    cell: Cell
    highlight: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class Move:
    """A stone, and what is known about the position after it.

    `cell` is None for the terminator `[/]`: the turn ended before its second stone.
    """

    cell: Cell | None
    clock_ms: int | None = None
    evaluation: Evaluation | None = None
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True)
class Turn:
    """One turn. In version 1, `second` is None if only one stone is written.

    `threats` counts the exclamation marks of version 1; variations exist only in version 2.
    """

    number: int
    first: Move
    second: Move | None
    threats: int = 0
    variations: tuple["Line", ...] = ()

    @property
    def stones(self) -> tuple[Cell, ...]:
        moves = (self.first, self.second)
        return tuple(move.cell for move in moves if move is not None and move.cell is not None)


Line = tuple[Turn, ...]


@dataclass(frozen=True)
class Setup:
    """The position before the first turn, which the side `to_move` makes."""

    to_move: Side
    x: tuple[Cell, ...]
    o: tuple[Cell, ...]
    visuals: tuple[Visual, ...] = ()


USUAL_SETUP: Final = Setup("o", ((0, 0),), ())
"""The setup of a notation without one: the stone of the opening."""


@dataclass(frozen=True)
class Notation:
    """A game, a study or a position.

    `tags` are without `version`, in their order. A setup exists only in version 2.
    """

    version: Version = 1
    tags: tuple[tuple[str, str], ...] = ()
    line: Line = ()
    setup: Setup | None = None

    def tag(self, *keys: str) -> str | None:
        """The value of the first of these keys that the notation has."""
        return next((value for key in keys for name, value in self.tags if name == key), None)


class NotWritable(ValueError):
    """The notation of this version cannot express it."""


def write(notation: Notation) -> str:
    """Return the notation as text, ended by a line break. Several in a row make a collection.

    Raises NotWritable if the version cannot express it.
    """
    return "".join(line + "\n" for line in _Writer(notation.version).lines(notation))


@dataclass(frozen=True)
class _Writer:
    version: Version

    def lines(self, notation: Notation) -> Iterator[str]:
        tags = [(VERSION, str(self.version)), *notation.tags]
        yield "\n".join(_tag(key, value) for key, value in tags) + ";"
        if notation.setup is not None:
            yield self._setup(notation.setup)
        yield from self._line(notation.line, "", first=1)

    def _setup(self, setup: Setup) -> str:
        if self.version == 1:
            raise NotWritable("version 1 has no setup: every game starts with x at [0,0]")
        texts = [f"x {_cells(setup.x)}", f"o {_cells(setup.o)}"]
        if setup.to_move == "o":
            texts.reverse()
        marks = " ".join(map(_visual, setup.visuals))
        return " ".join(f"{' : '.join(text.strip() for text in texts)} {marks}".split()) + " ;"

    def _line(self, line: Line, indent: str, first: int) -> Iterator[str]:
        for number, turn in enumerate(line, start=first):
            if turn.number != number:
                raise NotWritable(f"turn {number} has the number {turn.number}")
            is_last = number == first + len(line) - 1
            if len(turn.stones) < 2 and not is_last:
                raise NotWritable(f"turn {number} has one stone, and is not the last")
            yield from self._turn(turn, indent)

    def _turn(self, turn: Turn, indent: str) -> Iterator[str]:
        moves = (turn.first,) if turn.second is None else (turn.first, turn.second)
        if turn.first.cell is None:
            raise NotWritable(f"turn {turn.number} has no stone")
        if self.version == 2 and turn.second is None:
            raise NotWritable(f"turn {turn.number} needs [/] in place of a second stone")
        texts = " ".join(map(self._move, moves))
        if self.version == 1 and turn.variations:
            raise NotWritable(f"turn {turn.number}: version 1 has no variations")
        if self.version == 2 and turn.threats:
            raise NotWritable(f"turn {turn.number}: version 2 has no marks of threats")
        text = f"{indent}{turn.number}. {texts}{'!' * turn.threats}"
        for variation in turn.variations:
            if not variation:
                raise NotWritable(f"turn {turn.number} has an empty variation")
            yield text
            text = f"{indent}{INDENT})"
            opening, *rest = self._line(variation, indent + 2 * INDENT, first=turn.number)
            yield f"{indent}{INDENT}( {opening.strip()}"
            yield from rest
        yield f"{text};"

    def _move(self, move: Move) -> str:
        if self.version == 1:
            if move != Move(move.cell) or move.cell is None:
                raise NotWritable("version 1 has stones only: no clocks, evaluations or marks")
            return _cell(move.cell)
        stone = "[/]" if move.cell is None else _cell(move.cell)
        return stone + "".join([_info(move), *map(_visual, move.visuals)])


def _tag(key: str, value: str) -> str:
    if not KEY.fullmatch(key) or "]" in value or len(value) > MOST_VALUE:
        raise NotWritable(f"{key}[...]: no such key, or the value is too long or contains a ]")
    return f"{key}[{value}]"


def _cells(cells: Sequence[Cell]) -> str:
    return " ".join(map(_cell, cells))


def _cell(cell: Cell) -> str:
    return f"[{cell[0]},{cell[1]}]"


def _info(move: Move) -> str:
    texts = []
    if move.clock_ms is not None:
        texts.append(f"@{move.clock_ms}")
    if move.evaluation is not None:
        texts.append(f"{move.evaluation.kind}{move.evaluation.number}")
    return "{" + ":".join(texts) + "}" if texts else ""


def _visual(visual: Visual) -> str:
    q, r = visual.cell
    highlight = "" if visual.highlight is None else f":#{visual.highlight}"
    label = "" if visual.label is None else f":${visual.label}"
    return f"<{q},{r}{highlight}{label}>"
