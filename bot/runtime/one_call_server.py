"""A small HTTP server for calls that are few and short, and may come from anybody.

One call, one answer, and the connection is closed: nothing is kept for those that do nothing. It
has no paths and never redirects. Bodies stay as they came: compressed ones are not opened.
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
"""At the end calls that are being answered have so much time left."""
LOGGER: Final = "bot.runtime.one_call_server"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a caller may use. `body` is in bytes.

    `linger_s`: who still sends after the answer is listened to for so long, or would not see it.
    """

    body: int
    connections: int = 200
    head_s: float = 10.0
    body_s: float = 5.0
    linger_s: float = 0.2


@dataclass(frozen=True, slots=True)
class Call:
    """`headers` are found whatever their capitals, `body` is as it came."""

    method: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """`body` is sent as JSON."""

    status: int
    body: Mapping[str, object]


OnRefused = Callable[[int, str, str], None]
"""Called with the status, our code, and the reason."""


@asynccontextmanager
async def one_call_server(
    listening: socket.socket,
    answer: Callable[[Call], Awaitable[Reply]],
    limits: Limits,
    on_refused: OnRefused,
) -> AsyncIterator[None]:
    """Answer whole calls for as long as the context lasts; `listening` is closed by it.

    What is too long (413), too slow (408), broken off or no HTTP (400) never gets to `answer`.
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
    """All connections, and which of them have a whole call that is being answered."""

    def __init__(
        self,
        answer: Callable[[Call], Awaitable[Reply]],
        limits: Limits,
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
        """For a new connection. Without room for it the oldest goes that has no whole call.

        So idle connections cannot keep other callers out.
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
            answer = Reply(refused.status, {"code": refused.code, "message": str(refused)})
        response = web.json_response(answer.body, status=answer.status)
        response.force_close()
        return response

    async def _answered(self, request: web.BaseRequest) -> Reply:
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
            raise _Refused(408, "too_slow", "the body did not come in time") from None
        except (web.RequestPayloadError, ConnectionError) as error:
            raise _Refused(400, "broken_body", "the body broke off") from error
        return bytes(body)


async def _give_leave(request: web.BaseRequest) -> None:
    """Some callers send a body only after `100 Continue`."""
    expected = request.headers.get("Expect", "").lower()
    if expected == "100-continue" and request.version == HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the answer itself has not begun


class _TurnedAway(asyncio.Protocol):
    """A connection for which there is no room."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).abort()


class _Malformed(logging.Filter):
    """Takes what is no HTTP out of the log: it is not our mistake, and anybody can send much."""

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
    """Of one server alone: others have a filter of their own."""
    logger = logging.Logger(LOGGER)  # noqa: LOG001 - one of that name would be everybody's
    logger.parent = logging.getLogger()
    logger.addFilter(_Malformed(on_refused))
    return logger
