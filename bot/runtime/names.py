"""Names that people give to players: how they are kept, and which of them look alike."""

import re
import unicodedata
from typing import Annotated, Final

from pydantic import AfterValidator, Field

LOOKS_LIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "8": "b"})


def tidy(name: str) -> str:
    """In Unicode's composed form, without blanks around. Raises ValueError for what cannot be seen
    or would change how others are shown.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if any(unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for each in name):
        raise ValueError("a line break or another invisible character is not possible here")
    if not any(unicodedata.category(each)[0] in "LNPS" for each in name):
        raise ValueError("a name that can be seen is needed")
    return name


def letters_alike(text: str) -> str:
    """The text with one letter for all that look like it to the hurried eye, and no capitals."""
    return text.casefold().translate(LOOKS_LIKE).replace("rn", "m").replace("vv", "w")


def look_of(name: str) -> str:
    """What two names that look alike have in common; marks count, as in `v1.1` and `v11`."""
    return letters_alike(re.sub(r"\s", "", unicodedata.normalize("NFKC", name)))


PlayerName = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(tidy)]
