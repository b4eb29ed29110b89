"""A small HTTP server for few and short calls from untrusted clients.

Each connection gets one response and is closed, so idle clients cost nothing. The server has no
paths and never redirects. It does not decompress bodies.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, cast

from aiohttp import HttpVersion11, web
from aiohttp.http_exceptions import HttpProcessingError

END_S: Final = 2.0
"""Seconds for which calls in progress may continue at shutdown."""
LOGGER: Final = "bot.runtime.one_call_server"


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The limits of a caller. `body` is in bytes.

    `linger_s` is how long the server reads on after its response if the caller still sends;
    otherwise the caller might not see the response.
    """

    body: int
    connections: int = 200
    head_s: float = 10.0
    body_s: float = 5.0
    linger_s: float = 0.2


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `headers` are case-insensitive, `body` is as it arrived."""

    method: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class CallReply:
    """A response, whose `body` is sent as JSON."""

    status: int
    body: Mapping[str, object]


OnRefused = Callable[[int, str, str], None]
"""Called with the status, the error code, and the reason."""


@asynccontextmanager
async def one_call_server(
    listening: socket.socket,
    answer: Callable[[Call], Awaitable[CallReply]],
    limits: CallLimits,
    on_refused: OnRefused,
) -> AsyncIterator[None]:
    """Answer complete calls until the end of the block, which also closes `listening`.

    A call that is too long (413), too slow (408), incomplete or not HTTP (400) never reaches
    `answer`.
    """
    calls = _Calls(answer, limits, on_refused)
    loop = asyncio.get_running_loop()
    accepting = await loop.create_server(calls.protocol, sock=listening)
    try:
        yield
    finally:
        accepting.close()
        await calls.end()
        await accepting.wait_closed()


class _Refused(Exception):
    def __init__(self, status: int, code: str, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.code = code


class _Calls:
    """All connections, and those whose call is complete and being answered."""

    def __init__(
        self,
        answer: Callable[[Call], Awaitable[CallReply]],
        limits: CallLimits,
        on_refused: OnRefused,
    ) -> None:
        self._answer = answer
        self._limits = limits
        self._on_refused = on_refused
        self._answering: set[web.RequestHandler] = set()
        self._server = web.Server(
            self._respond,
            access_log=None,
            logger=_logger(on_refused),
            keepalive_timeout=limits.head_s,
            lingering_time=limits.linger_s,
            auto_decompress=False,
        )

    def protocol(self) -> asyncio.Protocol:
        """Return the protocol of a new connection.

        If there is no room for it, the oldest connection without a complete call is closed. So idle
        connections cannot block other callers.
        """
        connected = [each for each in self._server.connections if each.transport is not None]
        if len(connected) >= self._limits.connections:
            oldest = next((each for each in connected if each not in self._answering), None)
            if oldest is None:
                return _TurnedAway()
            oldest.force_close()
        return self._server()

    async def end(self) -> None:
        self._server.pre_shutdown()
        await self._server.shutdown(END_S)

    async def _respond(self, request: web.BaseRequest) -> web.Response:
        try:
            answer = await self._answered(request)
        except _Refused as refused:
            self._on_refused(refused.status, refused.code, str(refused))
            answer = CallReply(refused.status, {"code": refused.code, "message": str(refused)})
        response = web.json_response(answer.body, status=answer.status)
        response.force_close()
        return response

    async def _answered(self, request: web.BaseRequest) -> CallReply:
        body = await self._body(request)
        self._answering.add(request.protocol)
        try:
            return await self._answer(Call(request.method, request.headers, body))
        finally:
            self._answering.discard(request.protocol)

    async def _body(self, request: web.BaseRequest) -> bytes:
        most = self._limits.body
        too_long = _Refused(413, "too_long", f"a body has {most} bytes at most")
        if (request.content_length or 0) > most:
            raise too_long
        await _give_leave(request)
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_s):
                async for part in request.content.iter_any():
                    body += part
                    if len(body) > most:
                        raise too_long
        except TimeoutError:
            raise _Refused(408, "too_slow", "the body did not arrive in time") from None
        except (web.RequestPayloadError, ConnectionError) as error:
            raise _Refused(400, "broken_body", "the body is incomplete") from error
        return bytes(body)


async def _give_leave(request: web.BaseRequest) -> None:
    """Send `100 Continue` to callers that wait for it before they send a body."""
    expected = request.headers.get("Expect", "").lower()
    if expected == "100-continue" and request.version == HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the response itself has not started


class _TurnedAway(asyncio.Protocol):
    """A connection that is closed because there is no room."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).abort()


class _Malformed(logging.Filter):
    """Keeps invalid HTTP out of the log: it is not our error, and any client can send a
    lot of it.
    """

    def __init__(self, on_refused: OnRefused) -> None:
        super().__init__()
        self._on_refused = on_refused

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        self._on_refused(400, "no_http", " ".join(error.message.split())[:200])
        return False


def _logger(on_refused: OnRefused) -> logging.Logger:
    """Return a logger for one server, because each server has its own filter."""
    logger = logging.Logger(LOGGER)  # noqa: LOG001 - one of that name would be everybody's
    logger.parent = logging.getLogger()
    logger.addFilter(_Malformed(on_refused))
    return logger
