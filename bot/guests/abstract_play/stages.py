"""The platform's addresses and key, as this version knows them.

There is a stage for tests and one where people play. They share no accounts, secrets or games. The
settings can replace every address.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

StageName = Literal["development", "production"]

PUBLISHED_KEY: Final = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAQw6QGQqOa0rDaPLdq+wGPkrzMCQzJRlMxwzjKNkILE"
)
"""The platform signs with this key since 10 June 2026; keys in older notes are invalid."""

KEY_PAGE: Final = "https://play.abstractplay.com/ap-public-key.txt"
"""The address of the key in the platform's documentation."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The addresses of a stage; `query` and `botQuery` are appended to `base`."""

    token_url: str
    scope: str
    base: str
    key_url: str


STAGES: Final[Mapping[StageName, Stage]] = {
    "development": Stage(
        token_url="https://abstract-play-bots-dev.auth.us-east-1.amazoncognito.com/oauth2/token",  # noqa: S106
        scope="default-m2m-resource-server-dev/communicate",
        base="https://alyhqu85me.execute-api.us-east-1.amazonaws.com/dev/",
        key_url="https://play.dev.abstractplay.com/ap-public-key.txt",
    ),
    "production": Stage(
        token_url="https://botauth.abstractplay.com/oauth2/token",  # noqa: S106
        scope="default-m2m-resource-server-zssvzy/communicate",
        base="https://7n1lziet28.execute-api.us-east-1.amazonaws.com/prod/",
        key_url=KEY_PAGE,
    ),
}
