"""One Socket.IO connection to an arena, from its handshake to its loss.

The library's own reconnection is off: it does not retry the first connection, and it hides the
moment at which all state must be read again.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import urlsplit

import aiohttp
import socketio
import structlog
from pydantic import BaseModel, JsonValue, SecretStr, ValidationError

from bot import wire
from bot.errors import PeerError, RefusedByServer
from bot.json_values import first_problem
from bot.platforms.base import GameGone, NoAnswer, NotNow, TokenRefused, TurnRefused
from bot.platforms.connections import ConnectionLost, Silence
from bot.platforms.settings import CheckResult
from bot.time_source import TimeSource

MAX_WAITING: Final = 1000
"""Messages that may wait in the queue. If a server sends more, the connection is closed."""

FINAL_REFUSALS: Final = frozenset({"wrong_version", "name_taken"})
"""Codes of refused connections for which retrying is useless."""
TOKEN_REFUSALS: Final = frozenset({"bad_token", "bad_guest_key"})
"""Codes for which retrying is useless without another token."""

BLOCKED: Final = "blocked"
"""The code of a login that the operator refuses, for ever or until the time that it names."""

UNAVAILABLE: Final = "unavailable"
RETRY_AFTER_S: Final = 1.0
"""Seconds before a retry if an arena is unavailable and does not name a time."""

REFUSALS: Final[Mapping[str, type[PeerError]]] = {
    "illegal_turn": TurnRefused,
    "unknown_game_id": GameGone,
}
"""Codes of refusals that the bot handles differently from all others."""

CLOSE_S: Final = 3.0
SHOWN: Final = 200
GARBAGE_EVERY_S: Final = 60.0
"""Messages of a server that cannot be read are logged this often."""

T = TypeVar("T")
log = structlog.get_logger()


class _Client(Protocol):
    """The part of `socketio.AsyncClient` that is used here; the library has no types."""

    on_unreadable: Callable[[Exception], None]

    def on(self, event: str, handler: Callable[..., None]) -> object: ...

    async def connect(
        self,
        url: str,
        *,
        auth: object,
        transports: list[str],
        socketio_path: str,
        wait_timeout: float,
    ) -> None: ...

    async def call(self, event: str, data: object, *, timeout: float) -> object: ...  # noqa: ASYNC109

    async def disconnect(self) -> None: ...


class _CarefulClient(socketio.AsyncClient):
    """The library's client, whose tasks do not fail because of what a server sends.

    The library reads each packet in a task that nobody waits for: asyncio would log one error for
    each packet that cannot be read.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  (the library's own)
        super().__init__(**options)
        self.on_unreadable: Callable[[Exception], None] = lambda _error: None

    async def _handle_eio_message(self, data: object) -> None:
        try:
            await super()._handle_eio_message(data)
        except Exception as error:  # noqa: BLE001 - whatever the library raises, the server sent it
            self._binary_packet = None
            self.on_unreadable(error)


@dataclass(frozen=True, slots=True)
class ArenaOptions:
    """The address, the token, the engine's name for people, and timeouts in seconds.

    `tournaments` are patterns of names of tournaments that the bot enters. After `silence_s`
    without a message the client requests the server's state.
    """

    url: str
    token: SecretStr
    engine: str | None = None
    level: int | None = None
    tournaments: tuple[str, ...] = ()
    connect_s: float = 10.0
    answer_s: float = 5.0
    silence_s: float = 30.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Received:
    """A valid event of the server, its time of arrival, and whether we requested it (`resync`)."""

    message: BaseModel
    arrived: float
    resync: bool = False


class ArenaLink:
    """A connection. Messages are queued in order, each with the moment of its arrival."""

    def __init__(
        self, client: "_Client", options: ArenaOptions, time_source: TimeSource, silence: Silence
    ) -> None:
        self._client = client
        self._options = options
        self._time = time_source
        self._silence = silence
        self._received: asyncio.Queue[Received] = asyncio.Queue(MAX_WAITING)
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._refusal: object = None
        self.garbage = 0
        self._garbage_logged_at = -math.inf
        client.on_unreadable = lambda error: self._note_garbage(
            "packet", f"{type(error).__name__}: {error}"[:SHOWN]
        )
        for name in wire.SERVER_EVENTS:
            client.on(name, self._listener(name))
        client.on("disconnect", self._on_disconnect)
        client.on("connect_error", self._on_refused)

    async def connect(self) -> None:
        """Connect and log in.

        Raises RefusedByServer if the refusal is final, else ConnectionLost.
        """
        options = self._options
        credentials = wire.Credentials(
            v=wire.VERSION,
            token=options.token.get_secret_value(),
            engine=options.engine,
            level=options.level,
            events="new",
        )
        try:
            async with asyncio.timeout(options.connect_s):
                await self._client.connect(
                    options.url,
                    auth=credentials.model_dump(exclude_none=True),
                    transports=["websocket"],
                    socketio_path=_socket_path(options.url),
                    wait_timeout=options.connect_s,
                )
        except TimeoutError as error:
            raise ConnectionLost(f"no answer within {options.connect_s:g} s") from error
        except (socketio.exceptions.ConnectionError, aiohttp.ClientError, OSError) as error:
            raise self._refused_or_lost(str(error)) from error
        except ValueError as error:  # the library raises it for an invalid address
            raise RefusedByServer("bad_url", f"{options.url!r}: {error}") from error
        _raise_if_cancelled()

    async def receive(self) -> Received:
        """Return the next message. After a long silence, request the server's state.

        Raises ConnectionLost.
        """
        getting = asyncio.ensure_future(self._received.get())
        try:
            while not getting.done():
                await self._any_of(getting, timeout_s=self._options.silence_s)
                if self._lost.done():
                    raise ConnectionLost(self._lost.result())
                if not getting.done():
                    await self._probe()
            return getting.result()
        finally:
            getting.cancel()

    async def ask(self, event: str, request: BaseModel) -> wire.Done:
        """Send an event and wait for its acknowledgement.

        Raises PeerError with the code of a refusal (a class of `REFUSALS` for its codes), NotNow if
        the refusal is temporary, NoAnswer if no acknowledgement came in time.
        """
        calling = asyncio.ensure_future(self._call(event, request))
        try:
            await self._any_of(calling, timeout_s=None)
            if not calling.done():
                raise NoAnswer(f"{event}: the connection was lost before the answer arrived")
            raw = calling.result()
        finally:
            calling.cancel()
        self._silence.heard()
        return _read_answer(event, raw)

    def put(self, message: BaseModel, *, resync: bool = False) -> None:
        """Append a message to the queue."""
        try:
            self._received.put_nowait(Received(message, self._time.monotonic(), resync))
        except asyncio.QueueFull:
            self._lose(f"more than {MAX_WAITING} messages waited")

    async def close(self) -> None:
        """Disconnect, for `CLOSE_S` seconds at most."""
        self._lose("closed")
        with suppress(TimeoutError, OSError, aiohttp.ClientError):
            async with asyncio.timeout(CLOSE_S):
                await self._client.disconnect()

    async def _any_of(self, wanted: asyncio.Future[T], timeout_s: float | None) -> None:
        either: set[asyncio.Future[T] | asyncio.Future[str]] = {wanted, self._lost}
        await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)

    async def _probe(self) -> None:
        try:
            answer = await self.ask("state", wire.AskState(v=wire.VERSION))
        except NoAnswer as error:
            silent_s = self._options.silence_s
            raise ConnectionLost(f"silent for {silent_s:g} s, and did not answer") from error
        except PeerError as error:
            log.warning("state_refused", code=error.code, why=error.message)
        else:
            assert isinstance(answer, wire.WelcomeDone)
            self.put(answer.welcome, resync=True)

    async def _call(self, event: str, request: BaseModel) -> object:
        try:
            return await self._client.call(event, _encoded(request), timeout=self._options.answer_s)
        except socketio.exceptions.TimeoutError as error:
            raise NoAnswer(f"{event}: no answer within {self._options.answer_s:g} s") from error
        except socketio.exceptions.SocketIOError as error:
            raise NoAnswer(f"{event}: not sent: {error}") from error

    def _listener(self, name: str) -> Callable[..., None]:
        def on_event(*arguments: object) -> None:
            self._on_event(name, arguments)

        return on_event

    def _on_event(self, name: str, arguments: tuple[object, ...]) -> None:
        self._silence.heard()
        try:
            message = wire.read(wire.SERVER_EVENTS[name], arguments[0] if arguments else None)
        except ValidationError as error:
            self._note_garbage(name, first_problem(error))
        else:
            self.put(message)

    def _note_garbage(self, name: str, why: str) -> None:
        """Count a message that cannot be read, and log some of them: a server may send a flood."""
        self.garbage += 1
        now = self._time.monotonic()
        if now - self._garbage_logged_at >= GARBAGE_EVERY_S:
            self._garbage_logged_at = now
            log.warning("garbage", message=name, count=self.garbage, why=why)

    def _on_disconnect(self, reason: object = None) -> None:
        self._lose(f"disconnected: {reason}")

    def _on_refused(self, data: object = None) -> None:
        self._refusal = data

    def _lose(self, reason: str) -> None:
        if not self._lost.done():
            self._lost.set_result(reason)

    def _refused_or_lost(self, reason: str) -> RefusedByServer | ConnectionLost:
        refusal = _read_refusal(self._refusal)
        if refusal is None:
            return ConnectionLost(reason)
        if refusal.code in TOKEN_REFUSALS:
            return TokenRefused(refusal.code, refusal.message)
        is_blocked_for_ever = refusal.code == BLOCKED and refusal.retry_after_ms is None
        if refusal.code in FINAL_REFUSALS or is_blocked_for_ever:
            return RefusedByServer(refusal.code, refusal.message)
        return ConnectionLost(
            f"{refusal.code}: {refusal.message}", (refusal.retry_after_ms or 0) / 1000
        )


@asynccontextmanager
async def open_link(
    options: ArenaOptions, time_source: TimeSource, silence: Silence | None = None
) -> AsyncIterator[ArenaLink]:
    """Open a connection until the end of the block. Raises the errors of `ArenaLink.connect`.

    `silence` outlives the connection, if there is one.
    """
    silence = silence or Silence(time_source, options.silence_s)
    async with aiohttp.ClientSession() as http:
        make_client: Callable[..., _Client] = _CarefulClient
        client = make_client(
            reconnection=False,
            handle_sigint=False,
            http_session=http,
            request_timeout=options.answer_s,
        )
        link = ArenaLink(client, options, time_source, silence)
        try:
            await link.connect()
            yield link
        finally:
            await link.close()


async def check_online(options: ArenaOptions, time: TimeSource) -> AsyncIterator[CheckResult]:
    """Connect once.

    This does not disturb a running bot, because an arena allows several connections.
    """
    try:
        async with open_link(options, time) as link:
            message = (await link.receive()).message
    except PeerError as error:
        yield CheckResult("connection", str(error), state="failed")
    except ConnectionLost as error:
        yield CheckResult("connection", f"{options.url}: {error}", state="failed")
    else:
        if not isinstance(message, wire.Welcome):
            yield CheckResult("connection", f"{options.url}: it sends no welcome", state="failed")
            return
        name, server = message.you.name, message.server
        yield CheckResult(
            "connection", f"welcome as {name} at {server}, with {len(message.games)} games"
        )


def _socket_path(url: str) -> str:
    """Where Socket.IO is on the site; an arena may be below a path. Raises ValueError."""
    return f"{urlsplit(url).path.rstrip('/')}/socket.io"


def _encoded(request: BaseModel) -> dict[str, JsonValue]:
    """The request without the fields that have no value: older servers do not know all of them."""
    return request.model_dump(mode="json", exclude_none=True)


def _raise_if_cancelled() -> None:
    """`asyncio.wait_for` of Python 3.11, used in the library, can swallow a cancellation."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _read_answer(event: str, raw: object) -> wire.Done:
    try:
        if isinstance(raw, dict) and raw.get("ok") is False:
            refusal = wire.read(wire.Refusal, raw)
        else:
            return wire.read(wire.CLIENT_EVENTS[event][1], raw)
    except ValidationError as error:
        raise NoAnswer(f"{event}: cannot read the answer: {first_problem(error)}") from error
    raise _as_error(refusal)


def _as_error(refusal: wire.Refusal) -> PeerError:
    wait_ms = refusal.retry_after_ms
    if wait_ms is None and refusal.code != UNAVAILABLE:
        return REFUSALS.get(refusal.code, PeerError)(refusal.code, refusal.message)
    wait_s = RETRY_AFTER_S if wait_ms is None else wait_ms / 1000
    return NotNow(refusal.code, refusal.message, wait_s)


def _read_refusal(data: object) -> wire.Refusal | None:
    """Return the refusal in the data that Socket.IO passes on for a refused connection."""
    body = data.get("data", data) if isinstance(data, dict) else data
    try:
        return wire.read(wire.Refusal, body)
    except ValidationError:
        return None
