"""What the engine refuses, and why."""

from collections.abc import Iterable


class EngineError(Exception):
    """The root of what this package raises on purpose."""


class UnknownGame(EngineError, ValueError):
    """No such game, board, rule set or option; `known` lists those that exist."""

    def __init__(self, what: str, asked: object, known: Iterable[str]) -> None:
        self.what = what
        self.asked = asked
        self.known = tuple(known)
        super().__init__(f"unknown {what} {asked!r}; known: {', '.join(self.known) or 'none'}")


class IllegalTurn(EngineError, ValueError):
    """A turn that breaks a rule.

    `rule` is a short stable code, `where` the cell (or the part of the string) at fault, or None if the whole
    turn is, `turn` the string as it was given.
    """

    def __init__(self, turn: str, rule: str, reason: str, where: str | None = None) -> None:
        self.turn = turn
        self.rule = rule
        self.reason = reason
        self.where = where
        super().__init__(f"illegal turn {turn!r}: {reason}")

    def __reduce__(self) -> tuple[type["IllegalTurn"], tuple[str, str, str, str | None]]:
        return type(self), (self.turn, self.rule, self.reason, self.where)
