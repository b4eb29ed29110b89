"""What the engine refuses, and why."""

from collections.abc import Iterable
from typing import Final

LONGEST_SHOWN: Final = 40


class EngineError(Exception):
    """The root of what this package raises on purpose."""


class UnknownGame(EngineError, ValueError):
    """No such game, board, rule set or option; `known` lists those that exist."""

    def __init__(self, what: str, asked: object, known: Iterable[str]) -> None:
        self.what = what
        self.asked = asked
        self.known = tuple(known)
        super().__init__(f"unknown {what} {asked!r}; known: {', '.join(self.known) or 'none'}")

    def __reduce__(self) -> tuple[type["UnknownGame"], tuple[object, ...]]:
        return type(self), (self.what, self.asked, self.known)


class InvalidOption(UnknownGame):
    """A value that an option of a game does not take; `known` says in words what it does."""

    def __init__(self, option: str, value: object, takes: str) -> None:
        super().__init__("option", value, [takes])
        self.option = option
        self.takes = takes
        self.args = (f"{option} takes {takes}, not {_shortened(str(value))!r}",)

    def __reduce__(self) -> tuple[type[UnknownGame], tuple[object, ...]]:
        return type(self), (self.option, self.asked, self.takes)


class IllegalTurn(EngineError, ValueError):
    """A turn that breaks a rule.

    `rule` is a short stable code, `where` the cell (or the part of the string) at fault, or None if
    the whole turn is, `turn` the string as it was given. `turn_number` says which turn of the game
    it would have been, from 1.

    The codes of every game: `game-over`, `malformed`, `unknown-cell`, `occupied`, `same-cell`,
    `one-stone` (where a turn is a single stone), `two-stones` (where a second is missing).
    Bluestone adds `same-group`, `dead-cell` (rule set `official`) and `closed-region`
    (`abstractplay`), Blooms `same-colour`, Stargazers `star` and `uninspired-cell`.
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
    """Turns come from outside: a message does not repeat a long one."""
    return turn if len(turn) <= LONGEST_SHOWN else turn[:LONGEST_SHOWN] + "..."
