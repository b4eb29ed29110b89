"""Requests between two processes of an arena, over direct TCP connections.

Many requests are in flight over one connection, and their answers come in any order. The content of
a frame is the length of its header in 2 bytes, the header as JSON, and the body. A request's header
has `n`, its number on this connection, and `method`. An answer's header has the same `n`; that of a
refusal also has `code`, `message`, `rule` and `retry_after_s`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from itertools import count
from typing import Any, Final

import orjson
import structlog

from bot import wire
from bot.arena.cluster.channel import MOST_BYTES, BadFrame, Channel, Shared
from bot.arena.link_address import split_address
from bot.arena.refusals import Refused
from bot.runtime.alarms import Alarms
from bot.runtime.listening import bound
from bot.runtime.sweeper import Sweeper
from bot.runtime.tasks import OwnedTasks, within
from bot.runtime.throttled_log import ThrottledLog
from bot.time_source import SystemTime, TimeSource

CONNECT_S: Final = 2.0
SERVER_ERROR: Final = "server_error"
MOST_BODY_BYTES: Final = MOST_BYTES - 4096
"""The largest request and the largest answer; the rest of a frame is for its header."""
_HEADER_LENGTH_BYTES: Final = 2

log = structlog.get_logger()

Handler = Callable[[bytes], Awaitable[bytes]]
"""Answers the body of a request, or raises Refused."""


class PeerGone(Exception):
    """The other process did not answer: it is gone, stopped or unreachable.

    If `was_sent`, the request may have been executed; otherwise it has not been.
    """

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class LinkServer:
    """Answers the requests of other processes of this arena.

    Each request runs in a task of its own. It continues if its connection is lost.
    """

    def __init__(
        self, handlers: Mapping[str, Handler], secret: str, time: TimeSource | None = None
    ) -> None:
        self._handlers = handlers
        self._timers = _Timers(secret, time or SystemTime())
        self._channels: set[Channel] = set()
        self._requests = OwnedTasks("link_request_failed")
        self._server: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen, on any free port if `port` is 0, and return the port.

        Raises HostError with the reason if that is impossible.
        """
        listening = bound(host, port)
        self._server = await asyncio.get_running_loop().create_server(
            self._new_channel, sock=listening
        )
        return int(listening.getsockname()[1])

    async def close(self) -> None:
        """Close all connections, and cancel the requests that have not been answered."""
        if self._server is not None:
            self._server.close()
        channels = list(self._channels)
        for channel in channels:
            channel.close()
        await self._requests.cancel()
        for channel in channels:
            await channel.wait_closed()
        await self._timers.close()

    def _new_channel(self) -> Channel:
        channel = Channel("server", self._timers.shared, _ignore, self._take, self._lost)
        self._channels.add(channel)
        return channel

    def _lost(self, channel: Channel, _why: str) -> None:
        self._channels.discard(channel)

    def _take(self, channel: Channel, frame: bytes) -> None:
        header, body = _unpacked(frame)
        method = header.get("method")
        if not isinstance(method, str):
            raise BadFrame("a request has no method")
        self._requests.start(self._answer(channel, header["n"], method, body))

    async def _answer(self, channel: Channel, number: int, method: str, body: bytes) -> None:
        try:
            channel.send(*_packed({"n": number}, await self._handle(method, body)))
        except Refused as refused:
            channel.send(*_packed({"n": number, **_as_header(refused)}, b""))

    async def _handle(self, method: str, body: bytes) -> bytes:
        """Raises nothing but Refused."""
        handler = self._handlers.get(method)
        if handler is None:
            log.warning("link_method_unknown", method=method)
            raise Refused(SERVER_ERROR)
        try:
            answer = await handler(body)
            _check_size(answer)
        except Refused:
            raise
        except Exception:
            log.exception("link_request_failed", method=method)
            raise Refused(SERVER_ERROR) from None
        return answer


class Links:
    """Connections to other processes, opened when they are needed and kept."""

    def __init__(self, secret: str, time: TimeSource) -> None:
        self._timers = _Timers(secret, time)
        self._links: dict[str, _Link] = {}
        self._connecting = OwnedTasks("link_request_failed")
        self._is_closed = False

    async def ask(self, address: str, method: str, body: bytes, timeout_s: float) -> bytes:
        """Return the answer of the process at that address, such as 10.0.0.5:9765.

        Raises Refused as the other process raised it; PeerGone if there is no answer within
        `timeout_s`, or if the connection fails; ValueError if the body is too large;
        ConfigurationError if the address is invalid.
        """
        if self._is_closed:
            raise PeerGone(f"{address}: the links of this process are closed", was_sent=False)
        link = self._links.get(address)
        _check_size(body)
        if link is None:
            link = _Link(address, self._timers.shared, self._connecting)
            self._links[address] = link
        return await link.ask(method, body, timeout_s)

    def forget(self, address: str) -> None:
        """Close the connection to a process that has ended. Waiting requests raise PeerGone."""
        link = self._links.pop(address, None)
        if link is not None:
            link.close("the process has ended")

    async def close(self) -> None:
        """Close all connections. Waiting requests raise PeerGone."""
        self._is_closed = True
        links = list(self._links.values())
        channels = [link.channel for link in links if link.channel is not None]
        for link in links:
            link.close("this process ends")
        await self._connecting.cancel()
        for channel in channels:
            await channel.wait_closed()
        await self._timers.close()


class _Link:
    """The connection to one address, and the requests that wait for answers over it."""

    def __init__(self, address: str, shared: Shared, connecting: OwnedTasks) -> None:
        self._address = address
        self._host, self._port = split_address(address)
        self._shared = shared
        self._connecting = connecting
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._unsent: dict[int, tuple[bytes, ...]] = {}
        """Requests that wait for the connection."""
        self.channel: Channel | None = None
        self._is_ready = False

    async def ask(self, method: str, body: bytes, timeout_s: float) -> bytes:
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        number = next(self._numbers)
        ends_at = self._shared.time.monotonic() + timeout_s
        self._waiting[number] = answer
        self._shared.alarms.set((self, number), ends_at, partial(self._time_out, number, timeout_s))
        try:
            self._send(number, _packed({"n": number, "method": method}, body))
            return await answer
        finally:
            self._waiting.pop(number, None)
            self._unsent.pop(number, None)
            self._shared.alarms.clear((self, number))

    def close(self, why: str) -> None:
        if self.channel is not None:
            self.channel.close(why)
            self._fail_all(why)

    def _send(self, number: int, frame: tuple[bytes, ...]) -> None:
        if self.channel is not None and self._is_ready:
            self.channel.send(*frame)
            return
        self._unsent[number] = frame
        if self.channel is None:
            self.channel = Channel("client", self._shared, self._ready, self._take, self._lost)
            self._connecting.start(self._connect(self.channel))

    async def _connect(self, channel: Channel) -> None:
        connect = asyncio.get_running_loop().create_connection
        try:
            await within(
                self._shared.time, CONNECT_S, connect(lambda: channel, self._host, self._port)
            )
        except TimeoutError:
            channel.close()
            self._lost(channel, f"no connection within {CONNECT_S:g} s")
        except OSError as error:
            self._lost(channel, error.strerror or str(error))

    def _ready(self, channel: Channel) -> None:
        self._is_ready = True
        for frame in self._unsent.values():
            channel.send(*frame)
        self._unsent.clear()

    def _take(self, _channel: Channel, frame: bytes) -> None:
        header, body = _unpacked(frame)
        answer = self._waiting.get(header["n"])
        if answer is None or answer.done():
            return  # the answer came after its timeout
        if "code" in header:
            answer.set_exception(_refused(header))
        else:
            answer.set_result(body)

    def _lost(self, channel: Channel, why: str) -> None:
        if channel is not self.channel:
            return
        if self._is_ready:
            self._shared.throttled_log.note("link_lost", self._address, why=why)
        self._fail_all(why)

    def _fail_all(self, why: str) -> None:
        self.channel, self._is_ready = None, False
        for number in self._waiting:
            self._fail(number, why)
        self._unsent.clear()

    async def _time_out(self, number: int, timeout_s: float) -> None:
        self._fail(number, f"no answer within {timeout_s:g} s")

    def _fail(self, number: int, why: str) -> None:
        answer = self._waiting.get(number)
        if answer is not None and not answer.done():
            was_sent = number not in self._unsent
            answer.set_exception(PeerGone(f"{self._address}: {why}", was_sent=was_sent))


class _Timers:
    """What all connections of one side share, and what ends it."""

    def __init__(self, secret: str, time: TimeSource) -> None:
        assert secret, "an empty secret protects nothing"
        self._sweeper, self._alarms = Sweeper(time), Alarms(time)
        throttled_log = ThrottledLog(self._sweeper)
        self.shared = Shared(secret.encode(), time, self._alarms, throttled_log)

    async def close(self) -> None:
        await self._alarms.close()
        await self._sweeper.close()


def _check_size(body: bytes) -> None:
    if len(body) > MOST_BODY_BYTES:
        raise ValueError(f"{len(body)} bytes are too many for one request or answer")


def _packed(header: Mapping[str, object], body: bytes) -> tuple[bytes, ...]:
    packed = orjson.dumps(header)
    return len(packed).to_bytes(_HEADER_LENGTH_BYTES), packed, body


def _unpacked(frame: bytes) -> tuple[dict[str, Any], bytes]:
    """Return header and body. Raises BadFrame."""
    end = _HEADER_LENGTH_BYTES + int.from_bytes(frame[:_HEADER_LENGTH_BYTES])
    try:
        header = orjson.loads(frame[_HEADER_LENGTH_BYTES:end])
    except orjson.JSONDecodeError as error:
        raise BadFrame("the header of a frame is not JSON") from error
    if not isinstance(header, dict) or not isinstance(header.get("n"), int):
        raise BadFrame("a frame has no number")
    return header, frame[end:]


def _as_header(refused: Refused) -> dict[str, object]:
    return {
        "code": refused.code,
        "message": refused.message[:300],
        "rule": refused.rule,
        "retry_after_s": refused.retry_after_s,
    }


def _refused(header: Mapping[str, Any]) -> Refused:
    """A process of a newer version may have codes that this one does not know."""
    code = header["code"]
    known = code if code in wire.REFUSAL_CODES else SERVER_ERROR
    return Refused(known, header.get("message"), header.get("rule"), header.get("retry_after_s"))


def _ignore(_channel: Channel) -> None:
    """A server sends nothing when a connection is ready."""
