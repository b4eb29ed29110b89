"""What a person types for a turn, and which stones the rules leave to choose from."""

import re
from dataclasses import dataclass

import engine

NEEDS_SECOND_STONE = "two-stones"
"""The rule that a first stone breaks when it stands alone: the stone itself is fine."""


@dataclass(frozen=True)
class Choice:
    """What a first stone leaves open: the cells for the second, and whether it may stand alone."""

    seconds: tuple[str, ...]
    alone: bool


def turn_text(typed: str) -> str:
    """A turn as the rules write it: `5-3 2-1`, `5-3, 2-1` and `5-3,2-1` are the same."""
    return ",".join(part for part in re.split(r"[,\s]+", typed.lower()) if part)


def is_turn(text: str, position: engine.Position) -> bool:
    """Whether the text looks like a turn, legal or not, and not like a word."""
    return text == "pass" or any(part in position.game.board for part in text.split(","))


def first_stones(position: engine.Position) -> list[str]:
    """The cells that a turn may begin with."""
    return [cell for cell in position.game.board.cells if why_not_first(position, cell) is None]


def why_not_first(position: engine.Position, cell: str) -> engine.IllegalTurn | None:
    """The rule that a first stone on the cell breaks; None if a turn may begin so."""
    try:
        position.play(cell)
    except engine.IllegalTurn as error:
        return None if error.rule == NEEDS_SECOND_STONE else error
    return None


def after_first(position: engine.Position, first: str) -> Choice:
    """What may follow a first stone on the cell."""
    cells = position.game.board.cells
    seconds = tuple(cell for cell in cells if position.is_legal(f"{first},{cell}"))
    return Choice(seconds, alone=position.is_legal(first))
