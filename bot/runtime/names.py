"""Names and titles from outside: what may be in them, how they are kept, and which look alike."""

import re
import unicodedata
from typing import Annotated, Final

from pydantic import AfterValidator, Field

LOOKS_LIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "8": "b"})
NOT_TEXT: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode's categories of controls, directions, surrogates, private characters and line ends."""
BLANK_RANGES: Final = (
    *((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800)),
    *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF)),
)
"""Characters of other categories that show nothing: `Default_Ignorable_Code_Point` of Unicode's
DerivedCoreProperties.txt, and the empty pattern of Braille.
"""


def is_invisible(character: str) -> bool:
    """Whether it shows nothing by itself, or changes how its neighbours are shown."""
    code = ord(character)
    return unicodedata.category(character) in NOT_TEXT or any(
        first <= code <= last for first, last in BLANK_RANGES
    )


def tidy(name: str) -> str:
    """In Unicode's composed form, without blanks around. Raises ValueError for what cannot be seen
    or would change how others are shown.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if any(map(is_invisible, name)):
        raise ValueError("a line break or another invisible character is not possible here")
    if not _can_be_seen(name):
        raise ValueError("a name that can be seen is needed")
    return name


def cleaned(name: str, longest: int | None = None) -> str:
    """What `tidy` would accept of a name that cannot be refused, cut to `longest` characters;
    empty if nothing is left.
    """
    seen = "".join(each for each in re.sub(r"\s", " ", name) if not is_invisible(each))
    kept = unicodedata.normalize("NFC", " ".join(seen.split()))[:longest].rstrip()
    return kept if _can_be_seen(kept) else ""


def _can_be_seen(name: str) -> bool:
    return any(unicodedata.category(each)[0] in "LNPS" for each in name)


def letters_alike(text: str) -> str:
    """The text with one letter for all that look like it to the hurried eye, and no capitals."""
    return text.casefold().translate(LOOKS_LIKE).replace("rn", "m").replace("vv", "w")


def look_of(name: str) -> str:
    """What two names that look alike have in common; marks count, as in `v1.1` and `v11`."""
    return letters_alike(re.sub(r"\s", "", unicodedata.normalize("NFKC", name)))


PlayerName = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(tidy)]
