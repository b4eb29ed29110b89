"""Client credentials and the tokens that they buy."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.rehearsal.answers import Answer, plain

BEARER: Final = "bearer "


@dataclass(frozen=True, slots=True)
class Credentials:
    """A bot's player id is its client id."""

    client_id: str
    client_secret: str
    scope: str


class Tokens:
    """Tokens of one bot; each lives for `lives_s` seconds unless it is dropped before."""

    def __init__(self, credentials: Credentials, lives_s: int, rng: random.Random) -> None:
        self._credentials = credentials
        self._lives_s = lives_s
        self._rng = rng
        self._ends: dict[str, int] = {}

    def issue(self, form: Mapping[str, str], now: int) -> Answer:
        """The token URL's answer to the form."""
        error = self._why_not(form)
        if error is not None:
            return plain({"error": error}, 400)
        token = f"eyJ{self._rng.getrandbits(256):064x}"
        self._ends[token] = now + self._lives_s * 1000
        return plain({"access_token": token, "expires_in": self._lives_s, "token_type": "Bearer"})

    def _why_not(self, form: Mapping[str, str]) -> str | None:
        known = self._credentials
        if form.get("grant_type") != "client_credentials":
            return "unauthorized_client"
        if (form.get("client_id"), form.get("client_secret")) != (
            known.client_id,
            known.client_secret,
        ):
            return "invalid_client"
        return None if form.get("scope") == known.scope else "invalid_scope"

    def owner(self, authorization: str, now: int) -> str | None:
        """The bot that the header speaks for; None if it is nobody's, or no more."""
        ends = self._ends.get(_token(authorization))
        return None if ends is None or ends <= now else self._credentials.client_id

    def drop(self, authorization: str) -> None:
        self._ends.pop(_token(authorization), None)


def _token(authorization: str) -> str:
    return authorization[len(BEARER) :] if authorization.lower().startswith(BEARER) else ""
