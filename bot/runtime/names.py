"""Names and titles from outside: allowed characters, the stored form, and similar looks."""

import re
import unicodedata
from typing import Annotated, Final

from pydantic import AfterValidator, Field

LOOKS_LIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "8": "b"})
NOT_TEXT: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode's categories of controls, directions, surrogates, private characters and line breaks."""
BLANK_RANGES: Final = (
    *((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800)),
    *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF)),
)
"""Invisible characters of other categories: `Default_Ignorable_Code_Point` of Unicode's
DerivedCoreProperties.txt, and the empty pattern of Braille.
"""


def is_invisible(character: str) -> bool:
    """Return whether a character is invisible, or changes how its neighbours are displayed."""
    code = ord(character)
    return unicodedata.category(character) in NOT_TEXT or any(
        first <= code <= last for first, last in BLANK_RANGES
    )


def tidy(name: str) -> str:
    """Return the name in Unicode's composed form, without surrounding blanks.

    Raises ValueError for invisible characters, and for those that change how others are displayed.
    """
    name = unicodedata.normalize("NFC", name).strip()
    if any(map(is_invisible, name)):
        raise ValueError("line breaks and other invisible characters are not allowed")
    if not _can_be_seen(name):
        raise ValueError("a visible name is required")
    return name


def cleaned(name: str, longest: int | None = None) -> str:
    """Remove from a name what `tidy` would reject, and cut it to `longest` characters.

    The result may be empty.
    """
    seen = "".join(each for each in re.sub(r"\s", " ", name) if not is_invisible(each))
    kept = unicodedata.normalize("NFC", " ".join(seen.split()))[:longest].rstrip()
    return kept if _can_be_seen(kept) else ""


def _can_be_seen(name: str) -> bool:
    return any(unicodedata.category(each)[0] in "LNPS" for each in name)


def letters_alike(text: str) -> str:
    """Replace letters that look alike by one of them, and capitals by small letters."""
    return text.casefold().translate(LOOKS_LIKE).replace("rn", "m").replace("vv", "w")


def look_of(name: str) -> str:
    """Return the common form of names that look alike. Marks count, as in `v1.1` and `v11`."""
    return letters_alike(re.sub(r"\s", "", unicodedata.normalize("NFKC", name)))


PlayerName = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(tidy)]
