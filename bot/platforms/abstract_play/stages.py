"""The platform's two stages: the one to test on, and the one where people play.

They share no accounts, no secrets and no games. Every address can be set otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

StageName = Literal["development", "production"]

PUBLISHED_KEY: Final = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAQw6QGQqOa0rDaPLdq+wGPkrzMCQzJRlMxwzjKNkILE"
)
"""With which the platform signs since 10 June 2026; the one in older notes is no longer valid."""

KEY_PAGE: Final = "https://play.abstractplay.com/ap-public-key.txt"
"""Where the site's own documentation says that its key is."""


@dataclass(frozen=True, slots=True)
class Stage:
    """`base` is what `query` and `botQuery` are appended to; the public key lies at `key_url`."""

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
