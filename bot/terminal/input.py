"""What a person types for a turn, and which stones the rules leave to choose from."""

import re
from dataclasses import dataclass

import engine

NEEDS_SECOND_STONE = "two-stones"
"""The rule that a first stone breaks when it stands alone: the stone itself is fine."""


@dataclass(frozen=True)
class Choice:
    """What a first stone leaves open: the second ones, and whether it may stand alone."""

    seconds: tuple[str, ...]
    alone: bool


def turn_text(typed: str) -> str:
    """A turn as the rules write it: `5-3 2-1`, `5-3, 2-1` and `5-3,2-1` are the same."""
    return ",".join(part for part in re.split(r"[,\s]+", typed.lower()) if part)


def is_turn(text: str) -> bool:
    """Whether the text looks like a turn, legal or not, and not like a word: cells have digits."""
    return text == "pass" or any(character.isdigit() for character in text)


def first_stones(position: engine.Position) -> list[str]:
    """The stones that a turn may begin with, as turns write them."""
    return [step for step in position.game.step_names if why_not_first(position, step) is None]


def why_not_first(position: engine.Position, step: str) -> engine.IllegalTurn | None:
    """The rule that this first stone breaks; None if a turn may begin so."""
    try:
        position.play(step)
    except engine.IllegalTurn as error:
        return None if error.rule == NEEDS_SECOND_STONE else error
    return None


def after_first(position: engine.Position, first: str) -> Choice:
    """What may follow that first stone."""
    steps = position.game.step_names
    seconds = tuple(step for step in steps if position.is_legal(f"{first},{step}"))
    return Choice(seconds, alone=position.is_legal(first))
