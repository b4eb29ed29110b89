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

RESERVED: Final = ("admin", "administrator", "moderator", "operator", "system", "arena")
"""Names of those who run an arena: a player who has one would be believed."""
GENERATED: Final = re.compile(r"(guest|deleted)([ ._-].*|[abcdeflos234679]{6})|level..?ondevlce")
"""Names like those that the arena gives to guests, deleted accounts and bots on devices, with
look-alike letters replaced: by the separator, or by the six hexadecimal digits.
"""


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


def is_reserved(name: str) -> bool:
    """Return whether no player can choose the name, because it looks like one of the arena's own.

    The operator and the arena may give such names, and players who have one keep it.
    """
    look = skeleton(name)
    forms = (look, letters_alike(name))
    return look in _RESERVED_LOOKS or any(GENERATED.fullmatch(form) for form in forms)


_RESERVED_LOOKS: Final = frozenset(map(skeleton, RESERVED))
