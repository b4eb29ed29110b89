"""Names of players: allowed characters, and similar looks."""

import re
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot import wire
from bot.runtime.names import letters_alike

PATTERN: Final = wire.NEW_NAME_PATTERN
NAME: TypeAdapter[str] = TypeAdapter(wire.NewName)
RULE: Final = (
    "2 to 24 letters, digits, single blanks and . _ - are allowed, "
    "with a letter or a digit first and no blank last"
)


def is_name(text: str) -> bool:
    try:
        NAME.validate_python(text)
    except ValidationError:
        return False
    return True


def skeleton(name: str) -> str:
    """The same text for all names that look alike; two accounts never share one.

    Case, blanks and marks are dropped, and letters that look alike become one letter: `al pha`,
    `ALPHA` and `aIpha` all become `alpha`. This is the method of Unicode's confusables (UTS 39),
    for the few characters that names may have.
    """
    letters = re.sub(r"[^a-z0-9]", "", name.lower())
    return letters_alike(letters)
