"""What the requests about an account have in common: their bodies, and refusals as HTTP answers."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Final, Self, TypeVar

import orjson
from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.arena.http.documents import problem
from bot.arena.refusals import RATE_LIMITED, UNAVAILABLE, Refused
from bot.wire.base import MAX_MESSAGE_BYTES

STATUS: Final[Mapping[str, int]] = {
    "bad_guest_key": 401,
    "blocked": 403,
    "bad_passkey": 403,
    "copied_passkey": 403,
    "bad_recovery_link": 403,
    "bad_device_link": 403,
    "proof_needed": 403,
    "unknown_device": 404,
    "not_now": 409,
    "name_needed": 409,
    "too_many": 409,
    "too_long": 413,
    RATE_LIMITED: 429,
    "server_error": 500,
    UNAVAILABLE: 503,
}
"""The HTTP status of a refusal; 400 for all others."""

B = TypeVar("B", bound="Body")
Label = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
PasskeyId = Annotated[str, Field(min_length=1, max_length=1400, pattern=r"^[A-Za-z0-9_-]+$")]


class Body(BaseModel):
    """The body of a request that needs nothing but the key."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PasskeyAnswer(Body):
    """A passkey's answer, as `PublicKeyCredential.toJSON` writes it."""

    credential: dict[str, Any]


class NewLabel(Body):
    """Another label of a passkey."""

    id: PasskeyId
    label: Label


class Named(Body):
    """A passkey or a device."""

    id: PasskeyId


class LinkSecret(Body):
    """The secret of a recovery link or of one for another device: what follows the `=`."""

    secret: Annotated[str, Field(min_length=20, max_length=100)]


class Proof(Body):
    """A passkey's answer, or the secret of the recovery link: one of them."""

    credential: dict[str, Any] | None = None
    secret: Annotated[str, Field(min_length=20, max_length=100)] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.credential is None) == (self.secret is None):
            raise ValueError("give either credential or secret")
        return self


class Confirmation(Body):
    """The name that the person has typed."""

    name: Annotated[str, Field(max_length=40)]


async def read(request: web.Request) -> bytes:
    """The body of a request. Raises Refused if it is too long."""
    if "Content-Encoding" in request.headers:  # it may expand to any size
        raise Refused("invalid", "The body must not be compressed.")
    if (request.content_length or 0) > MAX_MESSAGE_BYTES:
        raise Refused("too_long")
    read = bytearray()
    async for some in request.content.iter_any():
        read += some
        if len(read) > MAX_MESSAGE_BYTES:
            raise Refused("too_long")
    return bytes(read)


def parsed(body: type[B], text: bytes) -> B:
    """The body of a request. Raises Refused."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Refused("not_json") from None
    try:
        return body.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Refused("invalid", f"{where}: {first['msg']}"[:300]) from None


def refusal(refused: Refused) -> web.Response:
    """A refusal as the answer to a request."""
    response = problem(STATUS.get(refused.code, 400), refused.code, refused.message)
    if refused.retry_after_s is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(refused.retry_after_s)))
    return response
