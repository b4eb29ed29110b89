"""Connections of Socket.IO over WebSocket: one task and no queue for each.

Problem. A turn goes to two players and perhaps hundreds of watchers. A server that gives each
connection a queue, a writer task and a ping task, and encodes and frames each message again for
each recipient, spends most of the cost of a turn on that. A client that does not read, or that
sends without end, must not slow down the others.

Idea. A message is encoded once, as one WebSocket frame in bytes (`packets`), and `Socket.put`
writes these bytes to the transport of each recipient. There is no queue of ours: the transport's
buffer is the queue, and its size says how much a client has left unread.

- Out: a client with more than `MOST_WAITING_BYTES` unread is disconnected. It can reconnect and
  gets whole states, so nothing is lost. `UnreadOutput` limits the sum for one address.
- In: each connection is read by the task of its own HTTP request. Frames above its pace
  (`FrameBudget`), requests of a client that has `UNREAD_BYTES` unread, and those of a client with
  too many unfinished ones (`Unfinished`) stay in the network, so that TCP slows down this sender
  alone. Nothing is refused on this level.
- Pings: one timer for all connections (`Pings`).

What is used of the protocol is small: login, event, acknowledgement, disconnect and ping, in one
namespace. A connection has one id, and at most one login that succeeds.

Rejected:

- The server of python-socketio: it is what the problem says, and half of its classes would have to
  be overridden in private methods. Its client is the reference of the tests.
- HTTP long polling: a second transport with sessions, upgrades and limits of its own. Current
  browsers and Socket.IO clients do not need it. `Handshake` admits WebSocket only.
- Compression of frames: it takes a state per connection, so that a message could not be encoded
  once for all.
- A queue per connection with the oldest messages dropped: a client that missed one message needs
  the whole state anyway, and gets it by reconnecting.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, cast

import structlog
from aiohttp import WSMsgType, web

from bot import wire
from bot.arena.edge.open_sockets import OpenSocket
from bot.arena.edge.pace import FrameBudget, Pace
from bot.arena.edge.packets import (
    CLOSE,
    CLOSE_FRAME,
    GOING_AWAY_FRAME,
    GOODBYE,
    MESSAGE,
    NAMESPACE,
    PING_FRAME,
    PONG,
    Connect,
    Disconnect,
    Incoming,
    accepted_frame,
    answer_frame,
    open_frame,
    read_packet,
    refused_frame,
)
from bot.arena.edge.pings import Pings
from bot.arena.edge.tcp import unread_check
from bot.arena.edge.unfinished import Unfinished
from bot.arena.settings import ConnectionLimits

MOST_WAITING_BYTES: Final = 512 * 1024
"""A client with more unread than this is disconnected; a whole state has about 10 kB."""
UNREAD_BYTES: Final = 64 * 1024
"""A client with more unread than this has its requests read only after it has read."""
UNREAD: Final = "unread"
"""A client was cut with more than `MOST_WAITING_BYTES` unread."""
STALLED: Final = "stalled"
"""A client was cut because it had read nothing between two pings, or not even the ping."""
UNREAD_CHECK_S: Final = 0.05
GOODBYE_S: Final = 2.0
"""How long a client may take to close the connection after the server's close frame."""
TRANSPORT_BYTES: Final = 4 * wire.MAX_MESSAGE_BYTES
"""A longer message ends its connection; one between the protocol's limit and this is refused."""
ID_BYTES: Final = 15
NO_SUCH_NAMESPACE: Final = "Unable to connect"

LEFT: Final = "client disconnect"
LOST: Final = "transport close"

log = structlog.get_logger()


class Socket:
    """A connection: frames are written at once, and read by the task of its HTTP request.

    `admitted` is its entry in `Sockets`. `is_logged_in` is true from `accept` to the end.
    """

    __slots__ = (
        "_check_address",
        "_goodbye",
        "_server",
        "_transport",
        "_unread",
        "admitted",
        "awaits_pong",
        "budget",
        "closed",
        "id",
        "is_logged_in",
        "unfinished",
    )

    def __init__(
        self,
        server: "SocketServer",
        admitted: OpenSocket,
        check_address: Callable[[], None] | None = None,
    ) -> None:
        self.id = secrets.token_urlsafe(ID_BYTES)
        self.admitted = admitted
        self.is_logged_in = False
        self.awaits_pong = False
        self.closed = False
        self.budget = FrameBudget()
        self.unfinished = Unfinished()
        self._server = server
        self._transport = admitted.transport
        self._check_address = check_address
        self._goodbye: asyncio.TimerHandle | None = None
        self._unread = 0

    # ---- out ---------------------------------------------------------------------------------

    def put(self, frame: bytes) -> None:
        """Write a frame. A client that does not read is disconnected."""
        transport = self._transport
        if self.closed or transport.is_closing():
            return
        waiting = transport.get_write_buffer_size()
        if waiting > MOST_WAITING_BYTES:
            self._server.cut[UNREAD] += 1
            transport.abort()
            return
        transport.write(frame)
        if self._check_address and transport.get_write_buffer_size() > UNREAD_BYTES:
            self._check_address()

    def accept(self) -> None:
        """Tell the client that its login has succeeded."""
        self.is_logged_in = True
        self.put(accepted_frame(self.id))

    def refuse(self, why: object) -> None:
        """Tell the client why its login was refused; it may try again."""
        self.put(refused_frame(why))

    def answer(self, number: int, answer: str) -> None:
        """Acknowledge the event of that number with an answer in JSON."""
        self.put(answer_frame(number, answer))

    # ---- in ----------------------------------------------------------------------------------

    def set_pace(self, pace: Pace) -> None:
        """Read frames, and work on requests, at that pace from now on."""
        self.budget.set(pace)
        self.unfinished.most = pace.unfinished

    async def read(self, websocket: web.WebSocketResponse) -> str:
        """Handle messages until the connection ends; returns why it has ended."""
        async for message in websocket:
            await self.budget.take()
            await self._until_read()
            if message.type is WSMsgType.TEXT:
                text = cast("str", message.data)
                if text.startswith(MESSAGE):
                    await self._take(read_packet(text[1:]))
                elif text.startswith(PONG):
                    self.awaits_pong = False
                if text.startswith(GOODBYE):
                    return LEFT
                if text.startswith(CLOSE):
                    break
            elif message.type is WSMsgType.PING:
                await websocket.pong(message.data)
            elif message.type is not WSMsgType.PONG:
                break  # the protocol is JSON only
        return LOST

    async def _take(self, packet: Connect | Disconnect | Incoming) -> None:
        try:
            if isinstance(packet, Incoming):
                if self.is_logged_in and packet.namespace == NAMESPACE:
                    await self.unfinished.room()
                    self._server.on_event(self, packet)
            elif isinstance(packet, Connect):
                await self._connect(packet)
        except Exception:
            log.exception("message_failed", socket=self.id)

    async def _connect(self, login: Connect) -> None:
        if login.namespace != NAMESPACE:
            self.put(refused_frame(NO_SUCH_NAMESPACE, login.namespace))
        elif not self.is_logged_in:
            await self._server.on_login(self, login)

    async def _until_read(self) -> None:
        """Wait while the client leaves too much unread."""
        transport = self._transport
        while transport.get_write_buffer_size() > UNREAD_BYTES:
            if transport.is_closing():
                return
            await asyncio.sleep(UNREAD_CHECK_S)

    # ---- ends and pings ----------------------------------------------------------------------

    def go_away(self) -> None:
        """Send the WebSocket close code "going away", after which clients reconnect.

        Some clients do not reconnect after Engine.IO's close packet.
        """
        self.put(GOING_AWAY_FRAME)
        self._goodbye = asyncio.get_running_loop().call_later(GOODBYE_S, self.give_up)

    def ping(self) -> None:
        """Send a ping; a client that has read nothing since the last one is disconnected."""
        unread = self._transport.get_write_buffer_size()
        if 0 < self._unread <= unread:
            self._server.cut[STALLED] += 1
            self.give_up()
        self._unread = unread
        self.put(PING_FRAME)

    def miss_pong(self) -> None:
        """Disconnect. A client with output before it that is still unread did not read the ping."""
        if self._transport.get_write_buffer_size() > 0:
            self._server.cut[STALLED] += 1
        self.give_up()

    def give_up(self) -> None:
        """Abort the transport; the reading task notices that and cleans up."""
        self._transport.abort()

    def hang_up(self) -> None:
        """Close the transport: the web server would read what still comes for a while."""
        if self._goodbye is not None:
            self._goodbye.cancel()
        self.unfinished.drop()
        if not self._transport.is_closing():
            self._transport.write(CLOSE_FRAME)
        self.closed = True
        self._transport.close()
        asyncio.get_running_loop().call_later(GOODBYE_S, self._transport.abort)


class SocketServer:
    """The open connections, and what happens on them.

    - `on_login` is awaited for each login, and calls `accept` or `refuse` of the socket.
    - `on_event` is called for each event of a client that is logged in. It starts the request in
      `Socket.unfinished`; a connection with too many unfinished ones is not read meanwhile.
    - `on_end` is called with each socket that was logged in when it ends, and why.
    - `cut` counts the connections that were closed because the client did not read, by cause.
    """

    on_login: Callable[[Socket, Connect], Awaitable[None]]
    on_event: Callable[[Socket, Incoming], None]
    on_end: Callable[[Socket, str], None]

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._sockets: dict[str, Socket] = {}
        self._pings = Pings(limits.ping_interval_s, limits.ping_timeout_s)
        self.cut = {UNREAD: 0, STALLED: 0}
        # Below ERROR this logger logs the subprotocols of every handshake.
        logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)

    def __iter__(self) -> Iterator[Socket]:
        return iter(list(self._sockets.values()))

    def __len__(self) -> int:
        return len(self._sockets)

    def find(self, connection: str) -> Socket | None:
        """The socket of a connection; None if it is closed."""
        return self._sockets.get(connection)

    def stop_pings(self) -> None:
        """Ping no more: the server ends."""
        self._pings.stop()

    async def serve(self, request: web.Request, admitted: OpenSocket) -> web.WebSocketResponse:
        """Serve a connection until it ends."""
        websocket = web.WebSocketResponse(
            max_msg_size=TRANSPORT_BYTES, compress=False, autoping=False
        )
        await websocket.prepare(request)  # the web server handles a client that has left
        socket = Socket(self, admitted, unread_check(request))
        self._sockets[socket.id] = socket
        reason = LOST
        try:
            interval_s, timeout_s = self._limits.ping_interval_s, self._limits.ping_timeout_s
            socket.put(open_frame(socket.id, interval_s, timeout_s, TRANSPORT_BYTES))
            self._pings.add(socket)
            reason = await socket.read(websocket)
        except ConnectionError:
            pass  # the client left during a pong
        finally:
            del self._sockets[socket.id]
            if socket.is_logged_in:
                self.on_end(socket, reason)
            socket.hang_up()
        return websocket
