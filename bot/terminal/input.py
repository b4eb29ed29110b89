"""What a person types for a turn."""

import re

import engine

NEEDS_SECOND_STONE = "two-stones"
"""The rule that a first stone breaks when it stands alone: the stone itself is fine."""


def turn_text(typed: str) -> str:
    """A turn as the rules write it: `5-3 2-1`, `5-3, 2-1` and `5-3,2-1` are the same."""
    return ",".join(part for part in re.split(r"[,\s]+", typed.lower()) if part)


def is_turn(text: str) -> bool:
    """Whether the text looks like a turn, legal or not, and not like a word: cells have digits."""
    return text == "pass" or any(character.isdigit() for character in text)


def why_not_first(position: engine.Position, step: str) -> engine.IllegalTurn | None:
    """The rule that this first stone breaks; None if a turn may begin so."""
    try:
        position.play(step)
    except engine.IllegalTurn as error:
        return None if error.rule == NEEDS_SECOND_STONE else error
    return None
