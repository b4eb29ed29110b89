"""The platform's answers, as its clients see them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import orjson

_CORS: Final = {"Access-Control-Allow-Origin": "*"}


@dataclass(frozen=True, slots=True)
class SiteAnswer:
    """The response that the client gets after `after_ms`.

    A `status` of None is a cut connection.
    """

    status: int | None
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    after_ms: int = 0


CUT: Final = SiteAnswer(None)


def plain(value: object, status: int = 200) -> SiteAnswer:
    """Return JSON with its real HTTP status, as the public queries send it."""
    return SiteAnswer(status, orjson.dumps(value))


def enveloped(status: int, value: object) -> SiteAnswer:
    """Return an answer of botQuery's program: HTTP 200, with any `status` inside."""
    body = orjson.dumps(value).decode()
    return plain({"statusCode": status, "body": body, "headers": _CORS})


def unwrapped(answer: SiteAnswer) -> SiteAnswer:
    """Return the content of the envelope, as some proxies and later versions may pass it on."""
    envelope = orjson.loads(answer.body)
    return SiteAnswer(envelope["statusCode"], envelope["body"].encode())


def refused(message: str, status: int = 500) -> SiteAnswer:
    """Return a refusal in botQuery's envelope; the move is not played."""
    return enveloped(status, {"message": message})


def crashed() -> SiteAnswer:
    """Return the answer after a crash of the program behind botQuery: no `statusCode`."""
    return plain({"errorType": "Error", "errorMessage": "read ECONNRESET", "trace": ["Error"]})


def gateway(status: int, message: str) -> SiteAnswer:
    """Return an answer of the gateway itself, before or without the program behind it."""
    return plain({"message": message}, status)


def too_many(retry_after_s: int | None) -> SiteAnswer:
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    return SiteAnswer(429, orjson.dumps({"message": "Too Many Requests"}), headers)
