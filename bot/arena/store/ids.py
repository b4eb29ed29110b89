"""Random ids and secrets."""

import secrets
import string
from typing import Final

SECRET_BYTES: Final = 32
ID_LETTERS: Final = string.ascii_letters + string.digits
ID_LENGTH: Final = 12


def new_id() -> str:
    """A random id for an account, a game or a challenge: about 71 bits, so that none repeats."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def id_from(digest: bytes) -> str:
    """An id like those of `new_id`, always the same for one digest."""
    number, letters = int.from_bytes(digest), ""
    for _ in range(ID_LENGTH):
        number, place = divmod(number, len(ID_LETTERS))
        letters += ID_LETTERS[place]
    return letters


def new_short_id() -> str:
    """A random id for a token or a block, short enough to be typed by an operator."""
    return new_id()[:8]


def new_secret() -> str:
    """Return 256 random bits as a text that may be in a URL."""
    return secrets.token_urlsafe(SECRET_BYTES)
