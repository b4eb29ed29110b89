"""Reads openings in BKE, a notation of HeXO without directions, such as `A0 A2 x A1 A4 o B2 B8`.

A cell is the letter of its ring around the first stone (A, B, ... Z, AA, ...) and its offset on
that ring, counted from a *zero line*. `B2.1` is sector 2, offset 1 within it, which is `B5`.
Players choose the zero line and the way of counting, so one text stands for twelve games that are
rotations and reflections of each other. Here the zero line is +q (right) and offsets count towards
+r (up and right, against the clock), unless the caller or the text chooses otherwise.

A text chooses by words before its turns, as the sites of HeXO write them: `p CCW o A0 A2`, or
`x, b CW @(0, 0) o A0 A2` after a board with the first stone only. The letters `> q p < b d` look
like the lines to the right, the lower right and so on, on a screen where +r points down.
"""

import re
from typing import Final, NoReturn

from bot.guests.hexo.htttx import Cell, Move, Notation, Turn
from bot.guests.hexo.htttx_reading import NotationRefused

MOST_CHARACTERS: Final = 100_000
FARTHEST: Final = 1_000
"""The largest ring."""
DIRECTIONS: Final[tuple[Cell, ...]] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""The six lines through the origin, against the clock from +q."""

LINES: Final = ">qp<bd"
"""The names of DIRECTIONS in a text."""

_HEADER: Final = re.compile(
    r"\s*(?P<board>x\s*,\s*)?(?P<line>[>qp<bd](?!\S)\s*)?(?P<way>C?CW(?!\S)\s*)?"
    r"(?P<origin>@\s*\(\s*(?P<q>-?[0-9]{1,5})\s*,\s*(?P<r>-?[0-9]{1,5})\s*\)\s*:?)?"
)
_WORD: Final = re.compile(r"\S+")
_CELL: Final = re.compile(r"(?P<ring>[A-Z]{1,3})(?P<number>[0-9]{1,5})(\.(?P<offset>[0-9]{1,5}))?")


def read_bke(text: str, zero: int = 0, *, clockwise: bool = False) -> Notation:
    """Return the turns of an opening. The first two stones are those of o.

    `zero` is the place of the zero line in DIRECTIONS, unless the text says so itself. A turn has
    two stones; the last may have one. Raises NotationRefused.
    """
    if len(text) > MOST_CHARACTERS:
        raise NotationRefused(1, 1, f"the text is longer than {MOST_CHARACTERS} characters")
    header = _HEADER.match(text)
    assert header is not None  # every part may be missing
    if header["line"] or header["way"]:
        zero, clockwise = _orientation(header)
    reader = _Reader(text, zero, -1 if clockwise else 1)
    reader.check_origin(header)
    for word in _WORD.finditer(text, header.end()):
        reader.take(word)
    reader.end()
    return Notation(2, (("platform", "bke"),), tuple(reader.turns))


def _orientation(header: re.Match[str]) -> tuple[int, bool]:
    """The zero line, and whether offsets count with the clock here, where +r points up."""
    line, way = (header["line"] or "d").strip(), (header["way"] or "CW").strip()
    return LINES.index(line), way == "CCW"


class _Reader:
    def __init__(self, text: str, zero: int, step: int) -> None:
        self.turns: list[Turn] = []
        self._text = text
        self._zero = zero
        self._step = step
        self._cells: list[Cell] = []
        self._is_named = False
        """Whether the turn began with the name of its side."""

    def take(self, word: re.Match[str]) -> None:
        if word[0] in ("x", "o"):
            self._begin(word)
            return
        if len(self._cells) == 2:
            self._finish()
        self._cells.append(self._cell(word))

    def check_origin(self, header: re.Match[str]) -> None:
        """The rings must be those around the first stone."""
        if header["origin"] and (int(header["q"]), int(header["r"])) != (0, 0):
            at = header.start("origin")
            self._refuse(
                at, f"the origin must be (0, 0), where the first stone is: {header['origin']}"
            )

    def end(self) -> None:
        if self._cells:
            self._finish()
        elif self._is_named:
            self._refuse(len(self._text), "a side is named, and no stone follows")

    def _begin(self, word: re.Match[str]) -> None:
        if len(self._cells) == 1:
            self._refuse(word.start(), f"turn {len(self.turns) + 1} has one stone, not two")
        if self._cells:
            self._finish()
        side = "x" if len(self.turns) % 2 else "o"
        if self._is_named or word[0] != side:
            self._refuse(word.start(), f"turn {len(self.turns) + 1} belongs to {side}")
        self._is_named = True

    def _finish(self) -> None:
        first, *rest = self._cells
        second = Move(rest[0] if rest else None)
        self.turns.append(Turn(len(self.turns) + 1, Move(first), second))
        self._cells, self._is_named = [], False

    def _cell(self, word: re.Match[str]) -> Cell:
        found = _CELL.fullmatch(word[0])
        if found is None:
            message = f"expected a cell such as A0 or B2.1, or x or o, found {word[0][:12]!r}"
            self._refuse(word.start(), message)
        ring, number = ring_of(found["ring"]), int(found["number"])
        if ring > FARTHEST:
            self._refuse(word.start(), f"ring {found['ring']} is farther than {FARTHEST} cells")
        if found["offset"] is not None:
            if number >= 6 or int(found["offset"]) >= ring:
                message = f"{word[0]}: sectors go from 0 to 5, and their offsets to {ring - 1}"
                self._refuse(word.start(), message)
            number = number * ring + int(found["offset"])
        if number >= 6 * ring:
            self._refuse(word.start(), f"ring {found['ring']} has offsets from 0 to {6 * ring - 1}")
        return self._on_ring(ring, number)

    def _on_ring(self, ring: int, number: int) -> Cell:
        corner, along = divmod(number, ring)
        at = DIRECTIONS[(self._zero + self._step * corner) % 6]
        to = DIRECTIONS[(self._zero + self._step * (corner + 1)) % 6]
        q, r = ((ring - along) * one + along * other for one, other in zip(at, to, strict=True))
        return q, r

    def _refuse(self, at: int, message: str) -> NoReturn:
        before = self._text[:at]
        line = before.count("\n") + 1
        raise NotationRefused(line, len(before) - (before.rfind("\n") + 1) + 1, message)


def ring_of(letters: str) -> int:
    """The ring of these letters: A is 1, Z is 26, AA is 27."""
    ring = 0
    for letter in letters:
        ring = 26 * ring + ord(letter) - ord("A") + 1
    return ring
