"""Random ids and secrets."""

import secrets
import string
from typing import Final

SECRET_BYTES: Final = 32
ID_LETTERS: Final = string.ascii_letters + string.digits


def new_id() -> str:
    """A random id for an account, a game or a challenge: about 71 bits, so that none repeats."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


def new_short_id() -> str:
    """A random id for a token or a block, short enough to be typed by an operator."""
    return new_id()[:8]


def new_secret() -> str:
    """Return 256 random bits as a text that may be in a URL."""
    return secrets.token_urlsafe(SECRET_BYTES)
