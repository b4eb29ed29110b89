"""The access token for moves: fetched with the client's secret, cached, and renewed in time.

OAuth 2.0 client credentials, RFC 6749 section 4.4.
"""

import asyncio
import math
from collections import deque
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Annotated, Final
from urllib.parse import urlencode

import structlog
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from bot.errors import PeerError, RefusedByServer
from bot.guests.abstract_play.calls import HttpResponse, Poster, Throttled
from bot.platforms.base import NoAnswer, TokenRefused
from bot.time_source import TimeSource

EARLY_S: Final = 60.0
"""A token is renewed this long before it expires."""
USUAL_LIFE_S: Final = 3600.0
REFUSED_S: Final = 30.0
MOST_REFUSED: Final = 5
"""After this many refused tokens within `REFUSED_S`, none is fetched for `REFUSED_S`."""
FINAL: Final = frozenset({"invalid_request", "invalid_scope", "unsupported_grant_type"})
"""Refusals that repeat until the operator changes the settings."""
TOKEN_REFUSALS: Final = frozenset({"invalid_client", "invalid_grant", "unauthorized_client"})
"""The same, for which another secret may help."""
MAX_TOKEN_BYTES: Final = 65_536
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Credentials:
    """The address for tokens, and our id, secret and scope."""

    token_url: str
    client_id: str
    secret: SecretStr
    scope: str


class _TokenAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    access_token: Annotated[SecretStr, Field(min_length=1, max_length=16_384)]
    expires_in: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] = USUAL_LIFE_S


class _TokenRefusal(BaseModel):
    model_config = ConfigDict(extra="ignore")

    error: Annotated[str, Field(pattern=r"^[a-z_]{1,60}$")]


@dataclass(frozen=True, slots=True)
class _Token:
    secret: SecretStr
    renew_at: float
    ends_at: float


class Tokens:
    """One token at a time. Tasks that need a token during a fetch wait for that fetch."""

    def __init__(self, credentials: Credentials, poster: Poster, time_source: TimeSource) -> None:
        self._credentials = credentials
        self._poster = poster
        self._time = time_source
        self._token: _Token | None = None
        self._failure: PeerError | None = None
        self._attempts = 0
        self._dropped_at = deque([-math.inf] * MOST_REFUSED, MOST_REFUSED)
        self._not_before = -math.inf
        self._fetching = asyncio.Lock()

    async def get(self) -> SecretStr:
        """Return a valid token.

        Raises RefusedByServer if the platform refuses our credentials; Throttled or NoAnswer if it
        issues no token at present, and the old one has expired.
        """
        known_attempts = self._attempts
        async with self._fetching:
            just_failed = self._attempts != known_attempts and self._failure is not None
            if not self._is_fresh and not just_failed:
                await self._renew()
            return self._standing()

    @property
    def _is_fresh(self) -> bool:
        return self._token is not None and self._time.monotonic() < self._token.renew_at

    def _standing(self) -> SecretStr:
        if self._token is not None and self._time.monotonic() < self._token.ends_at:
            return self._token.secret
        assert self._failure is not None
        raise self._failure

    async def _renew(self) -> None:
        try:
            self._token = await self._fetch()
        except PeerError as error:
            self._failure = error
            log.warning("token_not_fetched", code=error.code, why=error.message)
        else:
            self._failure = None
        self._attempts += 1

    def use_secret(self, secret: SecretStr) -> None:
        """Fetch the next token with this secret."""
        self._credentials = replace(self._credentials, secret=secret)

    def drop(self, refused: SecretStr) -> None:
        """Forget a token that the platform refuses. A token that was fetched since is kept."""
        if self._token is not None and self._token.secret == refused:
            now, self._token = self._time.monotonic(), None
            self._dropped_at.append(now)
            if now - self._dropped_at[0] < REFUSED_S:
                self._not_before = now + REFUSED_S

    async def _fetch(self) -> _Token:
        asked_at = self._time.monotonic()
        if asked_at < self._not_before:
            why = "no token: the platform has refused the last tokens that it issued"
            raise Throttled(why, self._not_before - asked_at)
        asked = self._credentials
        form = {
            "grant_type": "client_credentials",
            "client_id": asked.client_id,
            "client_secret": asked.secret.get_secret_value(),
            "scope": asked.scope,
        }
        body = urlencode(form).encode()
        answer = await self._poster.post(asked.token_url, body, FORM, MAX_TOKEN_BYTES)
        given = _read(answer)
        life_s = given.expires_in
        if self._time.monotonic() >= asked_at + life_s:
            raise NoAnswer(
                f"no token: it was valid for {life_s:g} s, and had expired when it arrived"
            )
        log.info("token_fetched", life_s=life_s)
        renew_at = asked_at + max(life_s - EARLY_S, life_s / 2)
        return _Token(given.access_token, renew_at, asked_at + life_s)


def _read(answer: HttpResponse) -> _TokenAnswer:
    match answer.status:
        case HTTPStatus.OK:
            return _given(answer)
        case HTTPStatus.BAD_REQUEST | HTTPStatus.UNAUTHORIZED:
            raise _refusal(answer)
        case HTTPStatus.TOO_MANY_REQUESTS:
            raise Throttled("no token: HTTP 429", answer.retry_after_s)
        case _:
            raise _no_token(answer)


def _given(answer: HttpResponse) -> _TokenAnswer:
    """Return the token in a response. Errors never quote the body, which may contain a token."""
    try:
        given = _TokenAnswer.model_validate_json(answer.body)
    except ValidationError:
        raise NoAnswer("no token: the response cannot be read") from None
    text = given.access_token.get_secret_value()
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise NoAnswer("no token: the platform's token has characters that a header cannot contain")
    return given


def _refusal(answer: HttpResponse) -> PeerError:
    """Return the error.

    Some of the standard's error codes are final; others may come from a proxy.
    """
    try:
        word = _TokenRefusal.model_validate_json(answer.body).error
    except ValidationError:
        return _no_token(answer)
    if word in TOKEN_REFUSALS:
        return TokenRefused(word, "the platform issues no token to this client")
    if word not in FINAL:
        return NoAnswer(f"no token: {word}")
    return RefusedByServer(word, "the platform issues no token to this client")


def _no_token(answer: HttpResponse) -> NoAnswer:
    """Return the error for other responses.

    It quotes nothing, because the body may have our secret.
    """
    return NoAnswer(f"no token: HTTP {answer.status}")
