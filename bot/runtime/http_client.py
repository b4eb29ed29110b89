"""HTTP requests with a deadline and a limit: one attempt each, and one error for every failure."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

import aiohttp
from aiohttp.client_exceptions import UnixClientConnectorError

from bot.errors import PeerError

CHUNK_BYTES: Final = 65_536
LONGEST_REASON: Final = 300
PROBE_S: Final = 5.0
PROBE_LIMIT: Final = 1 << 20
POLL_S: Final = 0.05


class NoResponse(PeerError):
    """No usable response came: no connection, too late, broken off or too long."""

    def __init__(self, message: str) -> None:
        super().__init__("no_response", message[:LONGEST_REASON])


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response; the names of `headers` are found in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def open_session(socket_file: Path | None = None) -> aiohttp.ClientSession:
    """A session for `fetch`. It decompresses nothing, so that limits hold for memory as well.

    With a Unix socket, all requests go there, whatever host their address names.
    """
    return aiohttp.ClientSession(
        connector=None if socket_file is None else aiohttp.UnixConnector(str(socket_file)),
        headers={"Accept-Encoding": "identity"},
        timeout=aiohttp.ClientTimeout(total=None),  # each request has its own deadline
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    )


async def fetch(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    *,
    deadline_s: float,
    limit: int,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Send one request and read the response, of at most `limit` bytes. Raises NoResponse.

    Redirects are not followed: a token or a move goes to no other address.
    """
    try:
        async with (
            asyncio.timeout(deadline_s),
            session.request(
                method, url, data=body, headers=headers, allow_redirects=False
            ) as response,
        ):
            content = await _content(response, limit)
    except TimeoutError as error:
        raise NoResponse(f"no answer within {deadline_s:g} s") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise NoResponse(reason_of(error)) from error
    return Response(response.status, response.headers, content)


async def is_ok_within(
    url: str, seconds: float, is_running: Callable[[], bool] = lambda: True
) -> bool:
    """Return whether the address answers with 200 in that time.

    False as soon as `is_running` is: the program that was to answer has ended.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), open_session() as session:
            while is_running():
                if await _is_ok(session, url):
                    return True
                await asyncio.sleep(POLL_S)
    return False


async def _is_ok(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        response = await fetch(session, "GET", url, deadline_s=PROBE_S, limit=PROBE_LIMIT)
    except NoResponse:
        return False
    return response.status == HTTPStatus.OK


async def _content(response: aiohttp.ClientResponse, limit: int) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(CHUNK_BYTES):
        content += chunk
        if len(content) > limit:
            raise NoResponse(f"the answer is longer than {limit} bytes")
    return bytes(content)


def reason_of(error: Exception) -> str:
    """Return why a request failed, in words for an operator."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return f"the certificate is not accepted: {error.certificate_error}"
        case aiohttp.ClientConnectorDNSError():
            return f"the name does not resolve: {error.host}"
        case UnixClientConnectorError():
            return f"cannot connect to {error.path}: {error.os_error.strerror}"
        case aiohttp.ClientConnectorError():
            number = error.os_error.errno
            why = os.strerror(number) if number is not None and number > 0 else str(error.os_error)
            return f"cannot connect to {error.host}:{error.port}: {why}"
        case _:
            return f"no answer: {type(error).__name__}: {error}"
