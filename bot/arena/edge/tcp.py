"""TCP connections of the arena: accepted, counted per address, closed at a limit."""

import asyncio
import errno
import logging
import math
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, cast

import structlog
from aiohttp import web
from aiohttp.abc import AbstractAccessLogger
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler

from bot.arena.edge.descriptors import DescriptorLimits
from bot.arena.edge.unread import UnreadOutput
from bot.arena.http.addresses import Proxies, counted_as
from bot.arena.http.security_headers import secure
from bot.arena.settings import UNIX_PEER, ConnectionLimits
from bot.runtime.sweeper import Sweeper
from bot.runtime.tasks import OwnedTasks
from bot.runtime.throttled_log import ThrottledLog

ANSWER_S: Final = 60.0
"""A client must fetch a whole answer within this time; the page's largest file takes a second."""
PATIENCE_S: Final = 1.0
"""A connection that has waited for less is not closed to make room."""


@dataclass(eq=False, slots=True)
class TcpConnection:
    """A TCP connection. It waits for a request, is being answered, or has become a WebSocket.

    `since` says when that state started, `deadline` when it must end.
    """

    address: str
    since: float
    deadline: float
    transport: asyncio.Transport | None = None
    is_cut: bool = False

    def cut(self) -> None:
        """Close the connection at once; unsent data is lost."""
        self.is_cut = True
        if self.transport is not None:
            self.transport.abort()


@dataclass(slots=True)
class _Group:
    """The connections of one address; `waiting` has those that wait for a request, oldest first."""

    count: int = 0
    waiting: dict[TcpConnection, None] = field(default_factory=dict)


class TcpConnections:
    """All TCP connections, with limits per address and deadlines.

    If there is no room for a new connection, the one that has waited longest for a request is
    closed, so that a thousand unfinished requests cannot keep a complete one out. A trusted proxy
    has no limit of its own. `opened` counts all connections since the start.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        capacity: DescriptorLimits,
        proxies: Proxies,
        throttled_log: ThrottledLog,
        sweeper: Sweeper,
    ) -> None:
        self._limits = limits
        self._most = capacity.connections
        self._most_of_address = min(2 * limits.sockets_per_address, self._most // 2)
        self._proxies = proxies
        self._throttled_log = throttled_log
        self._sweeper = sweeper
        self.unread = UnreadOutput(limits.unread_bytes_per_address, throttled_log)
        self._open: set[TcpConnection] = set()
        self.opened = 0
        self._groups: dict[str, _Group] = {}
        self._waiting: dict[TcpConnection, None] = {}
        sweeper.add(self.sweep)

    @property
    def count(self) -> int:
        return len(self._open)

    def admit(self, peer: str) -> TcpConnection | None:
        """Add a connection that has just been accepted; None if there is no room for it."""
        address, now = counted_as(peer), self._sweeper.now()
        if not self._is_room_for(address, self._proxies.trusts(peer), now):
            self._throttled_log.note("connection_refused", address)
            return None
        connection = TcpConnection(address, now, now + self._limits.request_s)
        self._open.add(connection)
        self.opened += 1
        self._groups.setdefault(address, _Group()).count += 1
        self._wait(connection)
        self._sweeper.wake()
        return connection

    def _is_room_for(self, address: str, is_proxy: bool, now: float) -> bool:
        group = self._groups.get(address)
        if not is_proxy and group is not None and group.count >= self._most_of_address:
            return self._make_room(group.waiting, now)
        return len(self._open) < self._most or self._make_room(self._waiting, now)

    def _make_room(self, waiting: dict[TcpConnection, None], now: float) -> bool:
        """Close the connection that has waited longest. Return False if even that is too recent."""
        oldest = next(iter(waiting), None)
        if oldest is None or now - oldest.since < PATIENCE_S:
            return False
        self._throttled_log.note("connection_cut_for_room", oldest.address)
        self._cut(oldest)
        return True

    def note_transport(self, connection: TcpConnection, transport: asyncio.Transport) -> None:
        """Note the transport of a connection. That of a proxy has the output of many clients."""
        connection.transport = transport
        if not self._proxies.trusts(connection.address):
            self.unread.add(connection.address, transport)

    def asked(self, connection: TcpConnection) -> None:
        """Note that the head of a request has arrived."""
        if connection.transport is not None:
            self.unread.check(connection.transport)
        self._stop_waiting(connection)
        self._begin(connection, ANSWER_S)

    def answered(self, connection: TcpConnection) -> None:
        """Note that the answer was sent; another request may follow."""
        if connection in self._open:
            self._begin(connection, self._limits.keep_alive_s)
            self._wait(connection)
            self._sweeper.wake()

    def became_socket(self, connection: TcpConnection, address: str) -> None:
        """Note that it is a WebSocket of that client, which `Sockets` limits."""
        self._begin(connection, math.inf)
        if connection.transport is not None:
            self.unread.add(address, connection.transport)

    def remove(self, connection: TcpConnection) -> None:
        """Remove a closed connection; does nothing if it was removed already."""
        if connection not in self._open:
            return
        self._open.discard(connection)
        if connection.transport is not None:
            self.unread.remove(connection.transport)
        self._stop_waiting(connection)
        group = self._groups[connection.address]
        group.count -= 1
        if not group.count:
            del self._groups[connection.address]

    def sweep(self, now: float) -> bool:
        """Close connections after their deadlines, and those that leave too much unread.

        Returns whether any are left to look at: a WebSocket checks its output when it sends.
        """
        self.unread.sweep()
        for connection in [each for each in self._open if each.deadline <= now]:
            self._cut(connection)
        return any(each.deadline < math.inf for each in self._open)

    def _cut(self, connection: TcpConnection) -> None:
        self.remove(connection)
        connection.cut()

    def _begin(self, connection: TcpConnection, allowed_s: float) -> None:
        connection.since = self._sweeper.now()
        connection.deadline = connection.since + allowed_s

    def _wait(self, connection: TcpConnection) -> None:
        self._waiting[connection] = None
        self._groups[connection.address].waiting[connection] = None

    def _stop_waiting(self, connection: TcpConnection) -> None:
        self._waiting.pop(connection, None)
        if connection.address in self._groups:
            self._groups[connection.address].waiting.pop(connection, None)


ACCEPTED_AT_ONCE: Final = 64
"""After this many connections other work runs."""
PAUSE_S: Final = 0.2
EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

log = structlog.get_logger()

MakeProtocol = Callable[[TcpConnection], asyncio.Protocol]


class Listener:
    """Accepts connections from `start` to `close`.

    The event loop's own server accepts hundreds at once before they can be counted, and stops for a
    second when there is no descriptor. Here a connection without room is closed at once.
    """

    def __init__(
        self,
        listening: socket.socket,
        connections: TcpConnections,
        make_protocol: MakeProtocol,
        throttled_log: ThrottledLog,
    ) -> None:
        self._listening = listening
        self._connections = connections
        self._make_protocol = make_protocol
        self._throttled_log = throttled_log
        self._loop = asyncio.get_running_loop()
        self._opening = OwnedTasks("connection_not_opened")
        self._spare = _spare()
        self._again: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._loop.add_reader(self._listening, self._accept)

    async def close(self) -> None:
        if self._again is not None:
            self._again.cancel()
        self._loop.remove_reader(self._listening)
        self._listening.close()
        await self._opening.wait()
        if self._spare is not None:
            os.close(self._spare)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                accepted, peer = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._failed(error)
                return
            is_socket = accepted.family == socket.AF_UNIX
            self._take(accepted, UNIX_PEER if is_socket else str(peer[0]))

    def _take(self, accepted: socket.socket, peer: str) -> None:
        connection = self._connections.admit(peer)
        if connection is None:
            accepted.close()
            return
        self._opening.start(self._open(accepted, connection))

    async def _open(self, accepted: socket.socket, connection: TcpConnection) -> None:
        try:
            accepted.setblocking(False)
            await self._loop.connect_accepted_socket(
                lambda: self._make_protocol(connection), accepted
            )
        except OSError:
            # The client disconnected before the connection was open.
            self._connections.remove(connection)
            accepted.close()
        except Exception:
            log.exception("connection_not_opened")
            self._connections.remove(connection)
            accepted.close()

    def _failed(self, error: OSError) -> None:
        """Handle an error of accept().

        Without a free descriptor a connection cannot be accepted, and so not be closed either. So
        one descriptor is kept: it is released to accept and close one connection.
        """
        self._throttled_log.note("accept_failed", "all", why=str(error))
        if error.errno in EXHAUSTED and self._spare is not None:
            os.close(self._spare)
            with suppress(OSError):
                self._listening.accept()[0].close()
            self._spare = _spare()
        else:
            self._loop.remove_reader(self._listening)
            self._again = self._loop.call_later(PAUSE_S, self._accept_again)

    def _accept_again(self) -> None:
        self._spare = self._spare or _spare()
        self.start()


def _spare() -> int | None:
    with suppress(OSError):
        return os.open(os.devnull, os.O_RDONLY)
    return None


LOGGER_NAME: Final = "bot.arena.http"


class HttpProtocol(web.RequestHandler):
    """One connection, from `connection_made` to `connection_lost`."""

    __slots__ = ("connection", "connections")

    def __init__(
        self,
        server: web.Server,
        connections: TcpConnections,
        connection: TcpConnection,
        body_s: float,
        logger: logging.Logger,
    ) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            lingering_time=body_s,
            # No request needs a compressed body; 2 MB of it may expand to 2 GB, also unread.
            auto_decompress=False,
            logger=logger,
            access_log=logger,
            access_log_class=_AnswerSent,
        )
        self.connections = connections
        self.connection = connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.connections.note_transport(self.connection, cast("asyncio.Transport", transport))
        super().connection_made(transport)
        if self.connection.is_cut:
            self.connection.cut()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.connections.remove(self.connection)
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Ignore a client that disconnects before its answer; answer other errors."""
        transport = request.transport
        if isinstance(exc, ConnectionError) and (transport is None or transport.is_closing()):
            raise exc  # the library ends such a connection without logging
        response = super().handle_error(request, status, exc, message)
        secure(response)  # the application does not see a request that cannot be read
        return response


@web.middleware
async def note_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Record in `TcpConnections` that the head of a request has arrived."""
    if isinstance(request.protocol, HttpProtocol):
        request.protocol.connections.asked(request.protocol.connection)
    return await handler(request)


def became_socket(request: web.BaseRequest, address: str) -> None:
    """Record in `TcpConnections` that this request of a client becomes a WebSocket."""
    if isinstance(request.protocol, HttpProtocol):
        request.protocol.connections.became_socket(request.protocol.connection, address)


def unread_check(request: web.BaseRequest) -> Callable[[], None] | None:
    """What to call when the client of this request leaves much unread; see `UnreadOutput`."""
    protocol, transport = request.protocol, request.transport
    if not isinstance(protocol, HttpProtocol) or transport is None:
        return None
    return partial(protocol.connections.unread.check, transport)


class _AnswerSent(AbstractAccessLogger):
    """aiohttp's access log, which reports that an answer was sent; it logs nothing."""

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:  # noqa: ARG002
        if isinstance(request.protocol, HttpProtocol):
            request.protocol.connections.answered(request.protocol.connection)


class _MalformedRequests(logging.Filter):
    """Moves malformed requests to the throttled log: there can be a flood of them."""

    def __init__(self, throttled_log: ThrottledLog) -> None:
        super().__init__()
        self._throttled_log = throttled_log

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        address = record.args[0] if isinstance(record.args, tuple) and record.args else "unknown"
        self._throttled_log.note("malformed_request", str(address))
        return False


def http_logger(throttled_log: ThrottledLog) -> logging.Logger:
    """The logger for aiohttp's errors on connections."""
    logger = logging.getLogger(LOGGER_NAME)
    logger.filters = [_MalformedRequests(throttled_log)]
    return logger
