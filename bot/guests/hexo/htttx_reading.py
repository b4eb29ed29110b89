"""Reads the notations htttx 1 and 2. Every text is either read, or refused with its place.

A text may have several games. Each further game begins with its metadata, because a letter cannot
follow a turn.
"""

import re
from typing import Final, NoReturn

from bot.errors import ConfigurationError
from bot.guests.hexo.htttx import (
    DEEPEST,
    KEY,
    LABEL,
    MOST_CHARACTERS,
    MOST_DIGITS,
    MOST_SETUP,
    MOST_TAGS,
    MOST_TURNS,
    MOST_VALUE,
    MOST_VISUALS,
    VERSION,
    Cell,
    Evaluation,
    Line,
    Move,
    Notation,
    Setup,
    Side,
    Turn,
    Version,
    Visual,
)

_BLANKS: Final = re.compile(r"\s*")
_INTEGER: Final = re.compile(r"-?[0-9]+")
_SECTION: Final = re.compile(r"#(?P<highlight>[A-Z]?)|\$(?P<label>[A-Z0-9]+)")
_SHOWN: Final = 12


class NotationRefused(ConfigurationError):
    """A text is not a notation: `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, message: str) -> None:
        self.line = line
        self.column = column
        super().__init__(f"line {line}, column {column}: {message}")


def read(text: str) -> Notation:
    """Return the only game of a text. Raises NotationRefused."""
    games = read_all(text)
    if len(games) > 1:
        raise NotationRefused(1, 1, f"one game is expected, and there are {len(games)}")
    return games[0]


def read_all(text: str) -> list[Notation]:
    """Return the games of a text, at least one. Raises NotationRefused.

    The empty text is a game of version 1 without turns.
    """
    if len(text) > MOST_CHARACTERS:
        raise NotationRefused(1, 1, f"the text is longer than {MOST_CHARACTERS} characters")
    reader = _Reader(text)
    games = [reader.game()]
    while reader.next:
        games.append(reader.game())
    return games


class _Reader:
    """The text from `_at` on. Each method reads what its name says, and raises NotationRefused."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._turns = 0
        self._version: Version = 1

    # ---- characters ----------------------------------------------------------------------------

    @property
    def next(self) -> str:
        """The next character that is not blank; empty at the end."""
        blanks = _BLANKS.match(self._text, self._at)
        assert blanks is not None
        self._at = blanks.end()
        return self._text[self._at : self._at + 1]

    def refuse(self, message: str, at: int | None = None) -> NoReturn:
        before = self._text[: self._at if at is None else at]
        line = before.count("\n") + 1
        raise NotationRefused(line, len(before) - (before.rfind("\n") + 1) + 1, message)

    def _expected(self, what: str) -> NoReturn:
        found = self._text[self._at : self._at + _SHOWN] if self.next else ""
        self.refuse(f"expected {what}, found {found!r}" if found else f"expected {what} at the end")

    def take(self, character: str, what: str | None = None) -> None:
        if self.next != character:
            self._expected(what or repr(character))
        self._at += 1

    def takes(self, character: str) -> bool:
        """Whether the next character is this one, which is then read."""
        if self.next != character:
            return False
        self._at += 1
        return True

    def integer(self, what: str) -> int:
        found = self.next and _INTEGER.match(self._text, self._at)
        if not found:
            self._expected(what)
        digits = found[0].removeprefix("-")
        if len(digits) > MOST_DIGITS:
            self.refuse(f"{what} has more than {MOST_DIGITS} digits")
        if self._version == 2 and found[0] not in ("0", f"{int(found[0])}"):
            self.refuse(f"{what} is written as {found[0]}, which version 2 does not allow")
        self._at = found.end()
        return int(found[0])

    # ---- metadata ------------------------------------------------------------------------------

    def game(self) -> Notation:
        self._version, self._turns = 1, 0
        tags = self._tags() if self.next.isalpha() else ()
        setup = self._setup() if self._may_have_setup() and self.next in {"x", "o"} else None
        line = self._line(1, 0)
        if self.next and not self.next.isalpha():
            self._expected(f"turn {len(line) + 1}")
        kept = tuple((key, value) for key, value in tags if key != VERSION)
        return Notation(self._version, kept, line, setup)

    def _may_have_setup(self) -> bool:
        return self._version == 2

    def _tags(self) -> tuple[tuple[str, str], ...]:
        tags: list[tuple[str, str]] = []
        while not self.takes(";"):
            if len(tags) >= MOST_TAGS:
                self.refuse(f"there are more than {MOST_TAGS} keys")
            began = self._at
            key, value = self._tag()
            if any(key == known for known, _ in tags):
                self.refuse(f"the key {key} is given twice", began)
            if key == VERSION:
                self._version = self._known_version(value, began)
            tags.append((key, value))
        return tuple(tags)

    def _tag(self) -> tuple[str, str]:
        key = self.next and KEY.match(self._text, self._at)
        if not key:
            self._expected("a key such as name[...], or the ; after the last one")
        self._at = key.end()
        self.take("[", f"[ after the key {key[0]}")
        end = self._text.find("]", self._at, self._at + MOST_VALUE + 1)
        if end < 0:
            self.refuse(f"the value of {key[0]} has no ] within {MOST_VALUE} characters")
        value, self._at = self._text[self._at : end], end + 1
        return key[0], value

    def _known_version(self, value: str, at: int) -> Version:
        if (number := value.strip()) not in ("1", "2"):
            self.refuse(f"version {number[:_SHOWN]!r} is not known; 1 and 2 are", at)
        return 1 if number == "1" else 2

    # ---- setup ---------------------------------------------------------------------------------

    def _setup(self) -> Setup:
        to_move: Side = "x" if self.next == "x" else "o"
        stones: dict[str, tuple[Cell, ...]] = {}
        for side, end in ((to_move, ":"), ("o" if to_move == "x" else "x", "")):
            self.take(side, f"the stones of {side}")
            stones[side] = self._cells(end)
        visuals = self._visuals()
        self.take(";", "; after the setup")
        return Setup(to_move, stones["x"], stones["o"], visuals)

    def _cells(self, end: str) -> tuple[Cell, ...]:
        cells: list[Cell] = []
        while self.next == "[":
            if len(cells) >= MOST_SETUP:
                self.refuse(f"the setup has more than {MOST_SETUP} stones of a side")
            cells.append(self._cell())
        if end:
            self.take(end, "a stone such as [1,0], or : before the other side")
        return tuple(cells)

    # ---- turns ---------------------------------------------------------------------------------

    def _line(self, number: int, depth: int) -> Line:
        turns: list[Turn] = []
        while self.next.isdigit():
            if turns and len(turns[-1].stones) < 2:
                self.refuse(f"turn {number - 1} has one stone, so it must be the last one")
            self._turns += 1
            if self._turns > MOST_TURNS:
                self.refuse(f"there are more than {MOST_TURNS} turns")
            turns.append(self._turn(number, depth))
            number += 1
        return tuple(turns)

    def _turn(self, number: int, depth: int) -> Turn:
        began = self._at
        if (found := self.integer("the number of a turn")) != number:
            self.refuse(f"turn {number} is expected here, not {found}", began)
        self.take(".", ". after the number of a turn")
        first = self._move(may_end=False)
        if self._version == 1:
            second = self._move(may_end=False) if self.next == "[" else None
            threats = 0
            while self.takes("!"):
                threats += 1
            self.take(";", "a stone such as [1,0], or ; after the turn")
            return Turn(number, first, second, threats)
        second = self._move(may_end=True)
        variations: list[Line] = []
        while self.takes("("):
            if depth >= DEEPEST:
                self.refuse(f"variations are nested deeper than {DEEPEST}")
            variations.append(self._line(number, depth + 1))
            if not variations[-1]:
                self._expected(f"turn {number} of a variation")
            self.take(")", ") after a variation")
        self.take(";", "; after the turn")
        return Turn(number, first, second, 0, tuple(variations))

    def _move(self, *, may_end: bool) -> Move:
        began = self._at
        cell = self._stone_or_end() if may_end else self._cell()
        if self._version == 1:
            return Move(cell)
        clock_ms, evaluation = self._info()
        if clock_ms is not None and clock_ms < 0:
            self.refuse("a clock is negative", began)
        return Move(cell, clock_ms, evaluation, self._visuals())

    def _stone_or_end(self) -> Cell | None:
        began = self._at
        self.take("[", "a stone such as [1,0], or [/]")
        if self.takes("/"):
            self.take("]")
            return None
        self._at = began
        return self._cell()

    def _cell(self) -> Cell:
        self.take("[", "a stone such as [1,0]")
        q = self.integer("the number q of a cell")
        self.take(",", ", between q and r")
        r = self.integer("the number r of a cell")
        self.take("]", "] after a cell")
        return q, r

    def _info(self) -> tuple[int | None, Evaluation | None]:
        if not self.takes("{"):
            return None, None
        clock_ms = self.integer("milliseconds after @") if self.takes("@") else None
        evaluation = None
        if clock_ms is None or self.takes(":"):
            if self.takes("%"):
                evaluation = Evaluation("%", self.integer("a number after %"))
            elif self.takes("#"):
                evaluation = Evaluation("#", self.integer("a number after #"))
            else:
                self._expected("an evaluation such as %10 or #2")
        self.take("}", "} after clock and evaluation")
        return clock_ms, evaluation

    # ---- marks ---------------------------------------------------------------------------------

    def _visuals(self) -> tuple[Visual, ...]:
        """Marks of a kind that is not known are left out, as the standard wants."""
        visuals: list[Visual] = []
        while self.takes("<"):
            if len(visuals) >= MOST_VISUALS:
                self.refuse(f"a stone has more than {MOST_VISUALS} marks")
            if (visual := self._visual()) is not None:
                visuals.append(visual)
        return tuple(visuals)

    def _visual(self) -> Visual | None:
        q = self.integer("the number q of a mark")
        self.take(",", ", between q and r")
        r = self.integer("the number r of a mark")
        end = self._text.find(">", self._at, self._at + MOST_VALUE + 1)
        if end < 0:
            self.refuse(f"a mark has no > within {MOST_VALUE} characters")
        sections, self._at = self._text[self._at : end], end + 1
        if not sections.strip():
            return Visual((q, r))
        return _marked((q, r), [each.strip() for each in sections.split(":")])


def _marked(cell: Cell, sections: list[str]) -> Visual | None:
    blank, *rest = sections
    found: dict[str, str] = {}
    for section in rest:
        known = _SECTION.fullmatch(section)
        kind = known and known.lastgroup
        if known is None or kind is None or kind in found or not _is_short(known[kind]):
            return None
        found[kind] = known[kind]
    return None if blank or not rest else Visual(cell, found.get("highlight"), found.get("label"))


def _is_short(text: str) -> bool:
    return not text or LABEL.fullmatch(text) is not None
