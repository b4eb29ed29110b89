"""Engine.IO over WebSocket alone: python-engineio's server with one task per connection.

Problem. A turn goes to two players and perhaps hundreds of watchers. python-engineio gives each
connection a queue, a writer task and a ping task, starts two more tasks per message, and encodes
and frames each message again for each recipient. That is most of the cost of a turn. A client that
does not read, or that sends without end, must not slow down the others.

Idea. A message is encoded once, as one WebSocket frame in bytes (`text_frame`), and `Socket.put`
writes these bytes to the transport of each recipient. There is no queue of ours: the transport's
buffer is the queue, and its size says how much a client has left unread.

- Out: a client with more than `MOST_WAITING_BYTES` unread is disconnected. It can reconnect and
  gets whole states, so nothing is lost. `UnreadOutput` limits the sum for one address.
- In: each connection is read by the task of its own HTTP request. Frames above its pace
  (`FrameBudget`), requests of a client that has `UNREAD_BYTES` unread, and those of a client with
  too many unfinished ones (`Unfinished`) stay in the network, so that TCP slows down this sender
  alone. Nothing is refused on this level.
- Pings: one timer for all connections (`Pings`), because a timer per connection would wake the
  server for each one separately, and that costs more than a third of the turns.

To the library a `Socket` is still an `AsyncSocket` and an `EngineServer` an `AsyncServer`, so that
python-socketio's login, namespaces and disconnects work unchanged. The price is that private
methods are overridden: `tests/bot/arena/edge/test_libraries.py` fails when one of them changes.

Rejected:

- The library as it is: see the problem.
- HTTP long polling: a second transport with sessions, upgrades and limits of its own. Current
  browsers and Socket.IO clients do not need it. `transports` admits WebSocket only.
- Compression of frames: it takes a state per connection, so that a message could not be encoded
  once for all.
- A queue per connection with the oldest messages dropped: a client that missed one message needs
  the whole state anyway, and gets it by reconnecting.

Protocols: RFC 6455 for frames; https://socket.io/docs/v4/engine-io-protocol/ (revision 4).
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

import engineio
import structlog
from aiohttp import WSCloseCode, WSMsgType, web
from engineio import packet
from engineio.async_socket import AsyncSocket
from socketio import packet as sio_packet

from bot.arena.edge.tcp import unread_check
from bot.arena.edge.unfinished import Unfinished
from bot.runtime.token_bucket import TokenBucket
from bot.time_source import SystemTime

IN_A_ROW: Final = 8
"""After this many frames of one connection, other work runs."""


@dataclass(frozen=True)
class Pace:
    """How many frames a connection may send, and how many requests may be unfinished."""

    per_s: float
    burst: int
    unfinished: int = 1


STRANGER: Final = Pace(per_s=2, burst=10)
"""The pace before the login."""


LEAST_PAUSE_S: Final = 0.001


class FrameBudget:
    """Delays the reading of frames that come faster than the pace, by the system's clock."""

    def __init__(self, pace: Pace = STRANGER) -> None:
        self._read = 0
        self.set(pace)

    def set(self, pace: Pace) -> None:
        """Use another pace from now on, beginning with a full burst."""
        self._bucket = TokenBucket(pace.per_s, pace.burst, SystemTime())

    async def take(self) -> None:
        """Count a frame, and return when it may be read."""
        while not self._bucket.take():  # noqa: ASYNC110 - time alone fills it
            await asyncio.sleep(max(LEAST_PAUSE_S, self._bucket.wait_s))
        self._read += 1
        if self._read % IN_A_ROW == 0:
            await asyncio.sleep(0)


STEP_S: Final = 0.25
STEPS_AN_INTERVAL: Final = 8
"""An interval has at least this many steps, so a short interval has shorter steps."""


class Pinged(Protocol):
    """A connection. `awaits_pong` is true from a ping until the client answers."""

    closed: bool
    awaits_pong: bool

    def ping(self) -> None: ...

    def miss_pong(self) -> None:
        """Called when no answer arrived in time."""


class Pings:
    """Pings all connections with one timer.

    Each connection is pinged every `interval_s`, and given up after `timeout_s` without an answer.
    Both are rounded up to a step.
    """

    def __init__(self, interval_s: float, timeout_s: float) -> None:
        self._step_s = min(STEP_S, interval_s / STEPS_AN_INTERVAL, timeout_s)
        self._interval = math.ceil(interval_s / self._step_s)
        self._timeout = math.ceil(timeout_s / self._step_s)
        self._now = 0
        self._due: dict[int, list[Pinged]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: Pinged) -> None:
        """Ping a connection until it is closed."""
        self._at(self._now + self._interval, connection)
        if self._timer is None:
            self._wind()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._due.clear()

    def _at(self, step: int, connection: Pinged) -> None:
        self._due.setdefault(step, []).append(connection)

    def _wind(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._step_s, self._tick)

    def _tick(self) -> None:
        self._now += 1
        for connection in self._due.pop(self._now, ()):
            if connection.closed:
                continue
            if connection.awaits_pong:
                connection.miss_pong()
            else:
                self._ping(connection)
        self._timer = None
        if self._due:
            self._wind()

    def _ping(self, connection: Pinged) -> None:
        connection.awaits_pong = True
        connection.ping()
        self._at(self._now + max(self._interval, self._timeout), connection)


log = structlog.get_logger()

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
TEXT_FRAME: Final = 0x81
MESSAGE: Final = str(packet.MESSAGE)
PONG: Final = str(packet.PONG)
CLOSE: Final = str(packet.CLOSE)
GOODBYE: Final = f"{packet.MESSAGE}{sio_packet.DISCONNECT}"
"""Socket.IO's disconnect packet; a client that wants to continue opens another connection."""


def text_frame(payload: bytes) -> bytes:
    """A text message of a server as one WebSocket frame: final, not masked, not compressed."""
    size = len(payload)
    if size < 126:
        return bytes((TEXT_FRAME, size)) + payload
    if size < 1 << 16:
        return bytes((TEXT_FRAME, 126)) + size.to_bytes(2) + payload
    return bytes((TEXT_FRAME, 127)) + size.to_bytes(8) + payload


PING_FRAME: Final = text_frame(str(packet.PING).encode())
CLOSE_FRAME: Final = b"\x88\x02" + WSCloseCode.OK.to_bytes(2)
GOING_AWAY_FRAME: Final = b"\x88\x02" + WSCloseCode.GOING_AWAY.to_bytes(2)


class Socket(AsyncSocket):
    """A connection: frames are written at once, and read by the task of its HTTP request."""

    def __init__(self, server: "EngineServer", sid: str) -> None:
        super().__init__(server, sid)
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.awaits_pong = False
        self.budget = FrameBudget()
        self.unfinished = Unfinished()
        self._unread = 0
        self._check_address: Callable[[], None] | None = None

    # ---- out ---------------------------------------------------------------------------------

    def put(self, frame: bytes) -> None:
        """Write a frame. A client that does not read is disconnected."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if transport.get_write_buffer_size() > MOST_WAITING_BYTES:
            self.server.cut[UNREAD] += 1
            transport.abort()
            return
        transport.write(frame)
        if self._check_address and transport.get_write_buffer_size() > UNREAD_BYTES:
            self._check_address()

    async def send(self, pkt: packet.Packet) -> None:
        """Send a packet of the library, which calls this."""
        text: str = pkt.encode()
        self.put(text_frame(text.encode()))

    # ---- in ----------------------------------------------------------------------------------

    async def serve(self, request: web.Request, hello: packet.Packet) -> web.WebSocketResponse:
        """Serve the connection until it ends."""
        websocket = web.WebSocketResponse(
            max_msg_size=self.server.max_http_buffer_size, compress=False, autoping=False
        )
        try:
            await websocket.prepare(request)
            self._transport = request.transport
            self._check_address = unread_check(request)
            self.connected = self.upgraded = True
            await self.send(hello)
            self.server.pings.add(self)
            await self._read(websocket)
        except ConnectionError:  # the client left during a pong
            if not websocket.prepared:  # or during the handshake, which the web server handles
                raise
        finally:
            self._stop_timer()
            self.unfinished.drop()
            await self.close(wait=False, abort=True, reason=self.server.reason.TRANSPORT_CLOSE)
            self._hang_up()
        return websocket

    async def _read(self, websocket: web.WebSocketResponse) -> None:
        async for message in websocket:
            await self.budget.take()
            await self._until_read()
            if message.type is WSMsgType.PING:
                await websocket.pong(message.data)
            elif message.type is WSMsgType.TEXT:
                text = cast("str", message.data)
                await self._take(text)
                if text.startswith((CLOSE, GOODBYE)):
                    break
            elif message.type is not WSMsgType.PONG:
                break  # the protocol is JSON only

    async def _take(self, text: str) -> None:
        if text.startswith(MESSAGE):
            await self.server.take(self.sid, text[1:])
        elif text.startswith(PONG):
            self.schedule_ping()

    async def _until_read(self) -> None:
        """Wait while the client leaves too much unread."""
        transport = self._transport
        while transport is not None and not transport.is_closing():
            if transport.get_write_buffer_size() <= UNREAD_BYTES:
                return
            await asyncio.sleep(UNREAD_CHECK_S)

    def _hang_up(self) -> None:
        """Close the transport: the web server would read what still comes for a while."""
        transport, self._transport = self._transport, None
        if transport is not None:
            if not transport.is_closing():
                transport.write(CLOSE_FRAME)
            transport.close()
            asyncio.get_running_loop().call_later(GOODBYE_S, transport.abort)

    # ---- ends and pings ----------------------------------------------------------------------

    async def close(
        self, wait: bool = True, abort: bool = False, reason: str | None = None
    ) -> None:
        """Report the end to the application, then to the client unless `abort`, and close."""
        del wait  # nothing is queued here
        if self.closed or self.closing:
            return
        self.closing = True
        reason = reason or self.server.reason.SERVER_DISCONNECT
        await self.server._trigger_event("disconnect", self.sid, reason)  # noqa: SLF001
        if not abort:
            await self.send(packet.Packet(packet.CLOSE))
            self.put(CLOSE_FRAME)
            self._timer = asyncio.get_running_loop().call_later(GOODBYE_S, self.give_up)
        self.closed = True

    def go_away(self) -> None:
        """Send the WebSocket close code "going away", after which clients reconnect.

        Some clients do not reconnect after Engine.IO's close packet.
        """
        self.put(GOING_AWAY_FRAME)
        self._timer = asyncio.get_running_loop().call_later(GOODBYE_S, self.give_up)

    def schedule_ping(self) -> None:
        """Note the client's pong; the library's name for it."""
        self.awaits_pong = False

    def ping(self) -> None:
        """Send a ping; a client that has read nothing since the last one is disconnected."""
        transport = self._transport
        unread = 0 if transport is None else transport.get_write_buffer_size()
        if 0 < self._unread <= unread:
            self.server.cut[STALLED] += 1
            self.give_up()
        self._unread = unread
        self.put(PING_FRAME)

    def miss_pong(self) -> None:
        """Disconnect. A client with output before it that is still unread did not read the ping."""
        if self._transport is not None and self._transport.get_write_buffer_size() > 0:
            self.server.cut[STALLED] += 1
        self.give_up()

    def give_up(self) -> None:
        """Abort the transport; the reading task notices that and cleans up."""
        if self._transport is not None:
            self._transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


class EngineServer(engineio.AsyncServer):
    """python-engineio's server with `Socket` as its sockets.

    `cut` counts the connections that were closed because the client did not read, by cause.
    """

    sockets: dict[str, Socket]

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  (the library's own)
        super().__init__(**options)
        self.pings = Pings(self.ping_interval, self.ping_timeout)
        self.cut = {UNREAD: 0, STALLED: 0}

    async def shutdown(self) -> None:
        self.pings.stop()
        await super().shutdown()

    async def take(self, sid: str, message: str) -> None:
        """Pass a message to the Socket.IO server."""
        # `_trigger_event` of the library would inspect the handler for each message.
        try:
            await self.handlers["message"](sid, message)
        except Exception:
            log.exception("message_failed", socket=sid)

    async def _handle_connect(
        self,
        environ: dict[str, Any],
        transport: str,  # noqa: ARG002  (WebSocket: `transports` lets nothing else come here)
        jsonp_index: int | None = None,  # noqa: ARG002
    ) -> web.WebSocketResponse:
        sid: str = self.generate_id()
        socket = self.sockets[sid] = Socket(self, sid)
        hello = packet.Packet(
            packet.OPEN,
            {
                "sid": sid,
                "upgrades": [],
                "pingInterval": round(self.ping_interval * 1000),
                "pingTimeout": round(self.ping_timeout * 1000),
                "maxPayload": self.max_http_buffer_size,
            },
        )
        try:
            await self._trigger_event("connect", sid, environ)
            return await socket.serve(environ["aiohttp.request"], hello)
        finally:
            self.sockets.pop(sid, None)
