"""A TCP connection between two processes of an arena: frames, after a mutual login.

A frame is its length in 4 bytes, then its content. Both sides prove that they know the arena's
secret: each sends a nonce, and then an HMAC of both nonces. The server sends its proof last, so a
stranger gets none. Later frames are neither encrypted nor signed, so the network between the
processes must be private.

A peer that vanishes without a word is noticed by TCP itself (keep-alive, and a limit for output
that is not confirmed). A peer that is connected and reads nothing is noticed here.
"""

import asyncio
import hashlib
import hmac
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal, cast

import structlog

from bot.runtime.alarms import Alarms, Ring
from bot.runtime.throttled_log import ThrottledLog
from bot.time_source import TimeSource

GREETING: Final = b"bluestone-link-1"
NONCE_BYTES: Final = 32
LENGTH_BYTES: Final = 4
MOST_BYTES: Final = 16 * 1024 * 1024
"""The largest frame."""
MOST_BYTES_OF_STRANGERS: Final = 1024
"""The largest frame before the login."""
LOGIN_S: Final = 5.0
UNREAD_S: Final = 10.0
"""Seconds after which a peer that reads nothing is dropped."""
UNREAD_BYTES: Final = 4 * MOST_BYTES
"""Output that a peer may leave unread."""
CROWDED_BYTES: Final = 256 * 1024
"""With more unread output than this, the peer is watched."""

_SOCKET_OPTIONS: Final = (
    (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 5),
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 2),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 3),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", int(UNREAD_S * 1000)),
)
"""Options that a system lacks are left out."""

log = structlog.get_logger()

Side = Literal["client", "server"]


class BadFrame(Exception):
    """A frame that cannot be understood; the connection is closed."""


@dataclass(frozen=True)
class Shared:
    """What the channels of one process have in common."""

    secret: bytes
    time: TimeSource
    alarms: Alarms
    throttled_log: ThrottledLog


class Channel(asyncio.Protocol):
    """One side of a connection.

    `on_ready` is called after the login, `on_frame` with each later frame, and `on_lost` once, with
    a reason, after the end of the connection. `on_frame` may raise BadFrame.
    """

    def __init__(
        self,
        side: Side,
        shared: Shared,
        on_ready: Callable[["Channel"], None],
        on_frame: Callable[["Channel", bytes], None],
        on_lost: Callable[["Channel", str], None],
    ) -> None:
        self._side = side
        self._shared = shared
        self._on_ready, self._on_frame, self._on_lost = on_ready, on_frame, on_lost
        self._take = self._take_proof if side == "server" else self._take_nonce
        self._nonces: dict[Side, bytes] = {side: secrets.token_bytes(NONCE_BYTES)}
        self._transport: asyncio.Transport | None = None
        self._address = ""
        self._most_bytes = MOST_BYTES_OF_STRANGERS
        self._received = bytearray()
        self._outgoing: list[bytes] = []
        self._written = 0
        self._is_ready = False
        self._end: str | None = None
        """The reason why the connection has ended."""
        self._has_ended = asyncio.Event()

    # ---- for the owner ---------------------------------------------------------------------------

    def send(self, *parts: bytes) -> None:
        """Send the parts as one frame. After the end of the connection this does nothing.

        Raises ValueError if the frame is too large.
        """
        size = sum(map(len, parts))
        if size > MOST_BYTES:
            raise ValueError(f"{size} bytes are too many for a frame")
        if self._end is not None:
            return
        # All frames of a round of the loop leave in one system call.
        if not self._outgoing:
            asyncio.get_running_loop().call_soon(self._flush)
        self._outgoing += (size.to_bytes(LENGTH_BYTES), *parts)

    def close(self, why: str = "this side closed the connection") -> None:
        """End the connection at once; output that was not sent is dropped."""
        if self._end is None:
            self._end = why
            if self._transport is not None:
                self._transport.abort()

    async def wait_closed(self) -> None:
        """Return when the socket is closed, after `close`."""
        if self._transport is not None:
            await self._has_ended.wait()

    # ---- asyncio.Protocol ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if self._end is not None:
            self._transport.abort()
            return
        self._address = _host_of(self._transport)
        _set_options(self._transport)
        self._transport.set_write_buffer_limits(high=CROWDED_BYTES)
        self._alarm("login", LOGIN_S, self._login_is_late)
        if self._side == "server":
            self.send(GREETING + self._nonces["server"])

    def data_received(self, data: bytes) -> None:
        self._received += data
        start, end = 0, len(self._received)
        while end - start >= LENGTH_BYTES and self._end is None:
            begin = start + LENGTH_BYTES
            size = int.from_bytes(self._received[start:begin])
            if size > self._most_bytes:
                self._cut("a frame is too large")
            elif end - begin < size:
                break
            else:
                start = begin + size
                self._take_or_cut(bytes(self._received[begin:start]))
        del self._received[:start]

    def pause_writing(self) -> None:
        self._watch_reader()

    def resume_writing(self) -> None:
        self._shared.alarms.clear((self, "unread"))

    def connection_lost(self, error: Exception | None) -> None:
        for alarm in ("login", "unread"):
            self._shared.alarms.clear((self, alarm))
        if self._end is None:
            self._end = str(error) if error else "the other side closed the connection"
        self._outgoing.clear()
        self._received.clear()
        self._has_ended.set()
        self._on_lost(self, self._end)

    # ---- login -----------------------------------------------------------------------------------

    def _take_nonce(self, frame: bytes) -> None:
        if not frame.startswith(GREETING) or len(frame) != len(GREETING) + NONCE_BYTES:
            raise BadFrame("not the link of an arena of this version")
        self._nonces["server"] = frame.removeprefix(GREETING)
        self.send(self._nonces["client"], self._proof_of("client"))
        self._take = self._take_confirmation

    def _take_proof(self, frame: bytes) -> None:
        self._nonces["client"] = frame[:NONCE_BYTES]
        self._check(frame[NONCE_BYTES:], "client")
        self.send(self._proof_of("server"))
        self._ready()

    def _take_confirmation(self, frame: bytes) -> None:
        self._check(frame, "server")
        self._ready()

    def _check(self, proof: bytes, side: Side) -> None:
        if not hmac.compare_digest(proof, self._proof_of(side)):
            raise BadFrame("it does not know the secret of this arena")

    def _proof_of(self, side: Side) -> bytes:
        message = b"".join(
            (GREETING, side.encode(), self._nonces["server"], self._nonces["client"])
        )
        return hmac.digest(self._shared.secret, message, hashlib.sha256)

    def _ready(self) -> None:
        self._shared.alarms.clear((self, "login"))
        self._is_ready = True
        self._most_bytes = MOST_BYTES
        self._take = self._take_content
        self._on_ready(self)

    async def _login_is_late(self) -> None:
        self._cut(f"no login within {LOGIN_S:g} s")

    # ---- inside ----------------------------------------------------------------------------------

    def _take_content(self, frame: bytes) -> None:
        self._on_frame(self, frame)

    def _take_or_cut(self, frame: bytes) -> None:
        try:
            self._take(frame)
        except BadFrame as error:
            self._cut(str(error))

    def _flush(self) -> None:
        if self._end is None and self._transport is not None:
            output = b"".join(self._outgoing)
            self._outgoing.clear()
            self._written += len(output)
            self._transport.write(output)
            if self._transport.get_write_buffer_size() > UNREAD_BYTES:
                self._cut("too much output is unread")

    def _watch_reader(self) -> None:
        """End the connection if the peer reads nothing for UNREAD_S."""
        read = self._read_by_peer()

        async def look() -> None:
            if self._read_by_peer() == read:
                self._cut(f"it has read nothing for {UNREAD_S:g} s")
            else:
                self._watch_reader()

        self._alarm("unread", UNREAD_S, look)

    def _read_by_peer(self) -> int:
        assert self._transport is not None
        return self._written - self._transport.get_write_buffer_size()

    def _alarm(self, name: str, seconds: float, ring: Ring) -> None:
        self._shared.alarms.set((self, name), self._shared.time.monotonic() + seconds, ring)

    def _cut(self, why: str) -> None:
        """End the connection for a fault of the peer."""
        if self._end is not None:
            return
        throttled_log = self._shared.throttled_log
        if self._is_ready:
            throttled_log.note("link_cut", self._address, why=why)
        else:
            throttled_log.note("link_login_refused", self._address, why=why)
        self.close(why)


def _host_of(transport: asyncio.Transport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""


def _set_options(transport: asyncio.Transport) -> None:
    peer = transport.get_extra_info("socket")
    for level, name, number in _SOCKET_OPTIONS:
        option = getattr(socket, name, None)
        if option is not None:
            with suppress(OSError):
                peer.setsockopt(level, option, number)
