"""The exceptions of the engine, and why a turn is illegal."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

LONGEST_SHOWN: Final = 40
"""The most characters of a turn or a value that a message quotes."""


class EngineError(Exception):
    """The base class of all exceptions that this package raises on purpose."""


class KernelsMissing(EngineError):
    """The engine has no compiled code for this processor, and nothing to compile it with.

    `pip install` with the extra `compile` installs Numba, which compiles it.
    """

    def __init__(
        self,
        why: str = "there is no compiled engine for this processor, and no Numba to compile it",
    ) -> None:
        super().__init__(f"{why}: install Bluestone with its extra `compile`")


class UnknownGame(EngineError, ValueError):
    """There is no game, board, rule set or option of that name.

    Attributes:
        what: The kind of the unknown name: `game`, `board`, `rule set` or `option`.
        asked: The unknown name.
        known: The names that exist.

    Example:
        >>> engine.game("stargazers", "stars-40")
        Traceback (most recent call last):
            ...
        engine.errors.UnknownGame: unknown board 'stars-40'; known: stars-39, stars-63, stars-111
    """

    def __init__(self, what: str, asked: object, known: Iterable[str]) -> None:
        self.what = what
        self.asked = asked
        self.known = tuple(known)
        super().__init__(f"unknown {what} {asked!r}; known: {', '.join(self.known) or 'none'}")

    def __reduce__(self) -> tuple[type["UnknownGame"], tuple[object, ...]]:
        return type(self), (self.what, self.asked, self.known)


class InvalidOption(UnknownGame):
    """An option of a game does not accept a value. It has the attributes of `UnknownGame`, too.

    Attributes:
        option: The option's name.
        asked: The value that was given.
        takes: What the option accepts, in words.

    Example:
        >>> engine.game("blooms", captures=0)
        Traceback (most recent call last):
            ...
        engine.errors.InvalidOption: captures takes a whole number from 1 to 1000, not '0'
    """

    def __init__(self, option: str, value: object, takes: str) -> None:
        super().__init__("option", value, [takes])
        self.option = option
        self.takes = takes
        self.args = (f"{option} takes {takes}, not {_shortened(str(value))!r}",)

    def __reduce__(self) -> tuple[type[UnknownGame], tuple[object, ...]]:
        return type(self), (self.option, self.asked, self.takes)


@dataclass(frozen=True)
class Refusal:
    """Why a turn is illegal."""

    rule: str
    """A stable code for programs; `IllegalTurn` lists the codes."""
    reason: str
    """The reason in words, without a capital letter or a full stop."""
    where: str | None = None
    """The cell or the part of the string that is wrong; None if the whole turn is."""


class IllegalTurn(EngineError, ValueError):
    """A turn breaks a rule.

    All games share these values of `rule`: `game-over`, `malformed`, `unknown-cell`, `occupied`,
    `same-cell`, `one-stone` (the turn must be a single stone), `two-stones` (a second stone is
    missing). Bluestone adds `same-group`, `dead-cell` (rule set `official`) and `closed-region`
    (rule set `abstractplay`). Blooms adds `same-colour`. Stargazers adds `star` and
    `uninspired-cell`. HeXO adds `off-origin` and `out-of-range`. Free Go adds `ko`.

    Attributes:
        turn: The turn as it was given.
        rule: A short stable code for programs.
        reason: The reason in words.
        where: The cell or the part of the string that is wrong; None if the whole turn is.
        turn_number: Which turn of the game it would have been, counted from 1.

    Example:
        >>> engine.game("bluestone").start().play("5-3").play("5-3,0-0")
        Traceback (most recent call last):
            ...
        engine.errors.IllegalTurn: illegal turn '5-3,0-0': 5-3 is not empty
    """

    def __init__(
        self, turn: str, rule: str, reason: str, where: str | None = None, turn_number: int = 1
    ) -> None:
        self.turn = turn
        self.rule = rule
        self.reason = reason
        self.where = where
        self.turn_number = turn_number
        super().__init__(f"illegal turn {_shortened(turn)!r}: {reason}")

    def __reduce__(self) -> tuple[type["IllegalTurn"], tuple[str, str, str, str | None, int]]:
        return type(self), (self.turn, self.rule, self.reason, self.where, self.turn_number)


def _shortened(turn: str) -> str:
    """Shorten a long turn or value for a message: it comes from outside and may have any length."""
    return turn if len(turn) <= LONGEST_SHOWN else turn[:LONGEST_SHOWN] + "..."
