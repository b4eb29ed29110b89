"""A small HTTP server for calls that are few, and may come from anybody.

One call, one answer, and the connection is closed: nothing is kept for those that do nothing. It
has no paths and never redirects. Bodies stay as they came: compressed ones are not opened.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

MOST_CONNECTIONS: Final = 200
HEAD_S: Final = 10.0
"""For the head of a call to come."""
LINGER_S: Final = 1.0
"""Who is still sending after an answer is listened to for so long, or would not see the answer."""
END_S: Final = 2.0
"""At the end calls that are being answered have so much time left."""
LOGGER: Final = "bot.runtime.one_call_server"

Answer = Callable[[web.BaseRequest], Awaitable[web.Response]]


@asynccontextmanager
async def one_call_server(
    listening: socket.socket, answer: Answer, on_malformed: Callable[[str], None]
) -> AsyncIterator[None]:
    """Answer for as long as the context lasts; `listening` is closed by it.

    `on_malformed` is told why something that came is no HTTP.
    """

    async def answer_once(request: web.BaseRequest) -> web.Response:
        response = await answer(request)
        response.force_close()
        return response

    server = web.Server(
        answer_once,
        access_log=None,
        logger=_logger(on_malformed),
        keepalive_timeout=HEAD_S,
        lingering_time=LINGER_S,
        auto_decompress=False,
    )
    loop = asyncio.get_running_loop()
    accepting = await loop.create_server(lambda: _protocol(server), sock=listening)
    try:
        yield
    finally:
        accepting.close()
        server.pre_shutdown()
        await server.shutdown(END_S)
        await accepting.wait_closed()


def _protocol(server: web.Server) -> asyncio.Protocol:
    return _TurnedAway() if len(server.connections) >= MOST_CONNECTIONS else server()


class _TurnedAway(asyncio.Protocol):
    """A connection for which there is no room."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


class _Malformed(logging.Filter):
    """Takes what is no HTTP out of the log: it is not our mistake, and anybody can send much."""

    def __init__(self, on_malformed: Callable[[str], None]) -> None:
        super().__init__()
        self._on_malformed = on_malformed

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        self._on_malformed(error.message)
        return False


def _logger(on_malformed: Callable[[str], None]) -> logging.Logger:
    logger = logging.getLogger(LOGGER)
    logger.filters = [_Malformed(on_malformed)]
    return logger
