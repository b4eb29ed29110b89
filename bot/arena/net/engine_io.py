"""Engine.IO over WebSocket alone, as python-engineio's server but with one task a connection.

The library gives each connection a queue, a writer and a timer task, and each message two more:
most of what a turn costs. Here a message is a frame of bytes, made once, that is handed to the
transport of everybody whom it is for. What the library knows as a socket stays one.

Protocols: RFC 6455 for frames; https://socket.io/docs/v4/engine-io-protocol/ (revision 4).
"""

import asyncio
import math
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

import engineio
import structlog
from aiohttp import WSCloseCode, WSMsgType, web
from engineio import packet
from engineio.async_socket import AsyncSocket
from socketio import packet as sio_packet

from bot.arena.net.rate_limit import TokenBucket
from bot.time_source import SystemTime

# How many frames a connection may send, whatever is in them, before the server reads slower.
#
# Nothing is refused here: what comes too fast is left in the network until its time has come, and
# so slows down its sender alone.

IN_A_ROW: Final = 8
"""So many frames of one connection are read before everybody else has a turn."""


@dataclass(frozen=True)
class Pace:
    per_s: float
    burst: int


STRANGER: Final = Pace(per_s=2, burst=10)
"""Who has not logged in yet has little to say."""


LEAST_PAUSE_S: Final = 0.001


class FrameBudget:
    """Bounds how fast the frames of one connection are read, by the system's clock."""

    def __init__(self, pace: Pace = STRANGER) -> None:
        self._read = 0
        self.set(pace)

    def set(self, pace: Pace) -> None:
        """Another pace counts from now on, and begins with a full burst."""
        self._bucket = TokenBucket(pace.per_s, pace.burst, SystemTime())

    async def take(self) -> None:
        """Count a frame, and return when it may be read."""
        while not self._bucket.take():  # noqa: ASYNC110 - time alone fills it
            await asyncio.sleep(max(LEAST_PAUSE_S, self._bucket.wait_s))
        self._read += 1
        if self._read % IN_A_ROW == 0:
            await asyncio.sleep(0)


# Who is still there: every connection is pinged now and then, many of them at one moment.
#
# A timer for each connection would wake the server for each of them alone, and their answers
# would come one by one; that costs more than a turn in three.

STEP_S: Final = 0.25
STEPS_AN_INTERVAL: Final = 8
"""Where the interval is short, steps are too."""


class Pinged(Protocol):
    """A connection. `awaits_pong` is true from a ping on until something shows that it is there."""

    closed: bool
    awaits_pong: bool

    def ping(self) -> None: ...

    def give_up(self) -> None:
        """It has not answered in time."""


class Pings:
    """Pings each connection every `interval_s` and gives up who is silent for `timeout_s`.

    Both are kept to a step, upwards.
    """

    def __init__(self, interval_s: float, timeout_s: float) -> None:
        self._step_s = min(STEP_S, interval_s / STEPS_AN_INTERVAL, timeout_s)
        self._interval = math.ceil(interval_s / self._step_s)
        self._timeout = math.ceil(timeout_s / self._step_s)
        self._now = 0
        self._due: dict[int, list[Pinged]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: Pinged) -> None:
        """Look after a connection until it is closed."""
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
                connection.give_up()
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
"""Who has left so much unread is sent nothing more, and cut off; a whole state is some 10 kB."""
UNREAD_BYTES: Final = 64 * 1024
"""Who has left so much unread may not ask for more before it is read."""
UNREAD_CHECK_S: Final = 0.05
GOODBYE_S: Final = 2.0
"""How long a client has to answer a goodbye."""
TEXT_FRAME: Final = 0x81
MESSAGE: Final = str(packet.MESSAGE)
PONG: Final = str(packet.PONG)
CLOSE: Final = str(packet.CLOSE)
GOODBYE: Final = f"{packet.MESSAGE}{sio_packet.DISCONNECT}"
"""Socket.IO's own; whoever wants to go on comes in by another connection."""


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
    """A connection: messages go out at once, and are read by the task that it came with."""

    def __init__(self, server: "EngineServer", sid: str) -> None:
        super().__init__(server, sid)
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.awaits_pong = False
        self.budget = FrameBudget()
        self._unread = 0

    # ---- going out ---------------------------------------------------------------------------

    def put(self, frame: bytes) -> None:
        """Hand over a frame; a client that is gone, or does not read, is cut off."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if transport.get_write_buffer_size() > MOST_WAITING_BYTES:
            transport.abort()
        else:
            transport.write(frame)

    async def send(self, pkt: packet.Packet) -> None:
        """What the library calls for every packet of its own."""
        text: str = pkt.encode()
        self.put(text_frame(text.encode()))

    # ---- coming in ---------------------------------------------------------------------------

    async def serve(self, request: web.Request, hello: packet.Packet) -> web.WebSocketResponse:
        """The whole life of the connection."""
        websocket = web.WebSocketResponse(
            max_msg_size=self.server.max_http_buffer_size, compress=False, autoping=False
        )
        try:
            await websocket.prepare(request)
            self._transport = request.transport
            self.connected = self.upgraded = True
            await self.send(hello)
            self.server.pings.add(self)
            await self._read(websocket)
        except ConnectionError:  # in the middle of a pong
            if not websocket.prepared:  # it broke before it stood, which the web server understands
                raise
        finally:
            self._stop_timer()
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
        """Whoever does not read what there is for them gets no more by asking."""
        transport = self._transport
        while transport is not None and not transport.is_closing():
            if transport.get_write_buffer_size() <= UNREAD_BYTES:
                return
            await asyncio.sleep(UNREAD_CHECK_S)

    def _hang_up(self) -> None:
        """The web server would listen for a while to what still comes."""
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
        """Tell the application, then the client unless it is gone, and end the connection."""
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
        """Say that the server goes, on the level on which clients come back by themselves.

        An Engine.IO goodbye is final to some of them.
        """
        self.put(GOING_AWAY_FRAME)
        self._timer = asyncio.get_running_loop().call_later(GOODBYE_S, self.give_up)

    def schedule_ping(self) -> None:
        """The client has shown that it is there."""
        self.awaits_pong = False

    def ping(self) -> None:
        """Ask whether the client is there; who has read nothing since the last time is not."""
        transport = self._transport
        unread = 0 if transport is None else transport.get_write_buffer_size()
        if 0 < self._unread <= unread:
            self.give_up()
        self._unread = unread
        self.put(PING_FRAME)

    def give_up(self) -> None:
        """Cut the connection; the reading task notices, and ends everything in order."""
        if self._transport is not None:
            self._transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


class EngineServer(engineio.AsyncServer):
    """python-engineio's server with our sockets."""

    sockets: dict[str, Socket]

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  (the library's own)
        super().__init__(**options)
        self.pings = Pings(self.ping_interval, self.ping_timeout)

    async def shutdown(self) -> None:
        self.pings.stop()
        await super().shutdown()

    async def take(self, sid: str, message: str) -> None:
        """A message for the Socket.IO server."""
        # Not by the library's `_trigger_event`, which looks at the handler anew each time.
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
