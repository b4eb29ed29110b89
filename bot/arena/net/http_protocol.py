"""aiohttp's side of a TCP connection, which tells the book of connections what it is doing."""

import asyncio
import logging
from typing import Final, cast

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler

from bot.arena.net.quiet_log import QuietLog
from bot.arena.net.tcp_connections import TcpConnection, TcpConnections

LOGGER_NAME: Final = "bot.arena.http"


class HttpProtocol(web.RequestHandler):
    """One connection, from `connection_made` to `connection_lost`."""

    __slots__ = ("book", "entry")

    def __init__(
        self,
        server: web.Server,
        book: TcpConnections,
        entry: TcpConnection,
        body_s: float,
        logger: logging.Logger,
    ) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            lingering_time=body_s,
            logger=logger,
            access_log=logger,
            access_log_class=_AnswerSent,
        )
        self.book = book
        self.entry = entry

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.entry.transport = cast("asyncio.Transport", transport)
        super().connection_made(transport)
        if self.entry.is_cut:
            self.entry.cut()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.book.remove(self.entry)
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """A client that leaves before its answer, as in a WebSocket handshake, is no error."""
        transport = request.transport
        if isinstance(exc, ConnectionError) and (transport is None or transport.is_closing()):
            raise exc  # the library ends such a connection without a word
        return super().handle_error(request, status, exc, message)


@web.middleware
async def note_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Tells the book that a whole head has come."""
    if isinstance(request.protocol, HttpProtocol):
        request.protocol.book.asked(request.protocol.entry)
    return await handler(request)


def became_socket(request: web.BaseRequest) -> None:
    """Tells the book that this request is going to last."""
    if isinstance(request.protocol, HttpProtocol):
        request.protocol.book.became_socket(request.protocol.entry)


class _AnswerSent(AbstractAccessLogger):
    """Where aiohttp says that an answer has gone out; nothing is logged."""

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:  # noqa: ARG002
        if isinstance(request.protocol, HttpProtocol):
            request.protocol.book.answered(request.protocol.entry)


class _MalformedRequests(logging.Filter):
    """Takes requests that are none out of the log: they are not our mistakes, and many."""

    def __init__(self, quiet_log: QuietLog) -> None:
        super().__init__()
        self._quiet_log = quiet_log

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        address = record.args[0] if isinstance(record.args, tuple) and record.args else "unknown"
        self._quiet_log.note("malformed_request", str(address))
        return False


def http_logger(quiet_log: QuietLog) -> logging.Logger:
    """The logger for aiohttp's troubles with a connection."""
    logger = logging.getLogger(LOGGER_NAME)
    logger.filters = [_MalformedRequests(quiet_log)]
    return logger
