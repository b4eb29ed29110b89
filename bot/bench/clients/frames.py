"""A connection to an arena in bare Socket.IO frames: a client with minimal cost.

The client of a load test shares the machine with the server that it measures, so it parses as
little as possible: an event is passed on as text, and only callers that need its content parse it.
Engine.IO 4 puts one digit before every message, Socket.IO 5 another one.
"""

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import aiohttp
import orjson

from bot.errors import PeerError

OPEN: Final = "0"
PING: Final = "2"
PONG: Final = "3"
CONNECT: Final = "40"
DISCONNECT: Final = "41"
EVENT: Final = "42"
ACK: Final = "43"
REFUSED: Final = "44"

CONNECT_S: Final = 60.0
ANSWER_S: Final = 60.0
CLOSE_S: Final = 1.0

Json = dict[str, Any]
OnEvent = Callable[[str, float], None]


class RequestRefused(PeerError):
    """The arena refused a request. `retry_after_s` is its requested delay, if it stated one."""

    def __init__(self, code: str, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(code, message)
        self.retry_after_s = retry_after_s


class FramesLost(PeerError):
    """The connection broke, or an answer did not arrive in time."""

    def __init__(self, message: str) -> None:
        super().__init__("connection_lost", message)


@dataclass(frozen=True)
class Acknowledgement:
    """An acknowledgement, and the monotonic moment of its arrival."""

    fields: Json
    moment: float


class FrameConnection:
    """An open connection; `on_event` gets the text of each event and the moment of its arrival."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, on_event: OnEvent) -> None:
        self._socket = socket
        self._on_event = on_event
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[Acknowledgement]] = {}
        self._reader: asyncio.Task[None] | None = None
        self._failure: Exception | None = None

    @classmethod
    async def open(
        cls, session: aiohttp.ClientSession, address: str, auth: Json, on_event: OnEvent
    ) -> Self:
        """Connect and log in. Raises Refused or ConnectionLost."""
        try:
            async with asyncio.timeout(CONNECT_S):
                socket = await open_socket(session, address)
                try:
                    await _log_in(socket, auth)
                except BaseException:
                    await _close(socket)
                    raise
        except TimeoutError:
            raise FramesLost(f"not admitted within {CONNECT_S:.0f} s") from None
        except (aiohttp.ClientError, OSError) as error:
            raise FramesLost(f"the connection broke: {error}") from error
        connection = cls(socket, on_event)
        connection._reader = asyncio.create_task(connection._read())
        return connection

    async def ask(self, event: str, message: Json) -> Acknowledgement:
        """Send an event and return its acknowledgement. Raises Refused or ConnectionLost."""
        if self._failure is not None:
            raise self._failure
        number = next(self._numbers)
        answered = asyncio.get_running_loop().create_future()
        self._waiting[number] = answered
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._send(f"{EVENT}{number}{orjson.dumps([event, message]).decode()}")
                answer: Acknowledgement = await answered
        except TimeoutError:
            raise FramesLost(f"{event} was not answered in {ANSWER_S:.0f} s") from None
        finally:
            del self._waiting[number]
        if not answer.fields.get("ok"):
            raise _refusal(answer.fields)
        return answer

    async def lost(self) -> None:
        """Return when either side has closed the connection. Raises what `on_event` raised."""
        assert self._reader is not None
        await asyncio.wait({self._reader})
        if not self._reader.cancelled():
            self._reader.result()

    async def close(self) -> None:
        """Close the connection, ignoring errors."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        await _close(self._socket)

    async def _send(self, text: str) -> None:
        try:
            await self._socket.send_str(text)
        except (aiohttp.ClientError, OSError) as error:
            raise FramesLost(f"the connection broke: {error}") from error

    async def _read(self) -> None:
        try:
            while True:
                text = await _next_text(self._socket)
                self._take(text, time.monotonic())
                if text == PING:
                    await self._send(PONG)
        except Exception as error:
            self._failure = error
            for answered in self._waiting.values():
                if not answered.done():
                    answered.set_exception(error)
            if not isinstance(error, (FramesLost, aiohttp.ClientError, OSError)):
                raise

    def _take(self, text: str, moment: float) -> None:
        if text.startswith(EVENT):
            self._on_event(text, moment)
        elif text.startswith(ACK):
            begin = text.index("[")
            answered = self._waiting.get(int(text[len(ACK) : begin]))
            if answered is not None and not answered.done():
                answered.set_result(Acknowledgement(orjson.loads(text[begin:])[0], moment))
        elif text.startswith(DISCONNECT):
            raise FramesLost("the arena ended the connection")


async def open_socket(
    session: aiohttp.ClientSession, address: str
) -> aiohttp.ClientWebSocketResponse:
    """Open a WebSocket to the arena, without login. Raises Refused or ConnectionLost."""
    url = f"{address.replace('http', 'ws', 1)}/socket.io/?EIO=4&transport=websocket"
    try:
        return await session.ws_connect(url, compress=0, max_msg_size=0)
    except aiohttp.WSServerHandshakeError as error:
        raise RequestRefused(f"http_{error.status}", error.message, _retry_after(error)) from error
    except (aiohttp.ClientError, OSError) as error:
        raise FramesLost(f"no connection to {address}: {error}") from error


def is_event(text: str, event: str) -> bool:
    """Return whether an event's text, as it arrived, has this name."""
    return text.startswith(f'{EVENT}["{event}"')


def payload(text: str) -> Any:  # noqa: ANN401  (JSON)
    """Return the content of an event's text, as it arrived."""
    return orjson.loads(text[len(EVENT) :])[1]


async def _log_in(socket: aiohttp.ClientWebSocketResponse, auth: Json) -> None:
    while not (text := await _next_text(socket)).startswith(CONNECT):
        if text.startswith(OPEN):
            await socket.send_str(CONNECT + orjson.dumps(auth).decode())
        elif text == PING:
            await socket.send_str(PONG)
        elif text.startswith(REFUSED):
            said = orjson.loads(text[len(REFUSED) :])
            raise _refusal(said.get("data") or said)


async def _next_text(socket: aiohttp.ClientWebSocketResponse) -> str:
    message = await socket.receive()
    if message.type is not aiohttp.WSMsgType.TEXT:
        raise FramesLost(f"the arena closed the connection ({socket.close_code})")
    return str(message.data)


def _refusal(fields: Mapping[str, Any]) -> RequestRefused:
    wait_ms = fields.get("retry_after_ms")
    return RequestRefused(
        str(fields.get("code", "refused")),
        str(fields.get("message", "")),
        None if wait_ms is None else wait_ms / 1000,
    )


def _retry_after(error: aiohttp.WSServerHandshakeError) -> float | None:
    header = error.headers.get("Retry-After", "") if error.headers else ""
    return float(header) if header.isdecimal() else None


async def _close(socket: aiohttp.ClientWebSocketResponse) -> None:
    with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            await socket.close()
