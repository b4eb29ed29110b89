"""Why a turn is illegal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """Why a turn is illegal."""

    rule: str
    """A stable code for programs; `IllegalTurn` lists the codes."""
    reason: str
    """The reason in words, without a capital letter or a full stop."""
    where: str | None = None
    """The cell or the part of the string that is wrong; None if the whole turn is."""
