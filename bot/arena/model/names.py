"""Names of players: how they are written, and which of them look alike."""

import re
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot import wire
from bot.runtime.names import letters_alike

PATTERN: Final = wire.NEW_NAME_PATTERN
NAME: TypeAdapter[str] = TypeAdapter(wire.NewName)
RULE: Final = (
    "2 to 24 letters, digits, single blanks and . _ - are allowed, "
    "a letter or a digit first and no blank last"
)


def is_name(text: str) -> bool:
    try:
        NAME.validate_python(text)
    except ValidationError:
        return False
    return True


def skeleton(name: str) -> str:
    """What is left of a name to the hurried eye; two players never share one.

    Capitals, blanks and marks count for nothing, and letters that look alike are one letter:
    `al pha`, `ALPHA` and `aIpha` are all `alpha`. The idea is that of Unicode's confusables
    (UTS 39), for the few characters that names may have.
    """
    letters = re.sub(r"[^a-z0-9]", "", name.lower())
    return letters_alike(letters)
