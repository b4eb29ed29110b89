"""Socket.IO over the arena's Engine.IO: packets are decoded, validated and handled.

Protocol: https://socket.io/docs/v4/socket-io-protocol/ (revision 5).
"""

import logging
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import orjson
import socketio
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from socketio import packet

from bot import wire
from bot.arena.edge.engine_io import MESSAGE, EngineServer, Pace, Socket, text_frame
from bot.arena.players.names import PATTERN, RULE
from bot.arena.refusals import Refused
from bot.arena.settings import ConnectionLimits
from bot.json_values import in_words
from bot.runtime.settings import did_you_mean, keys_at

INCOMING: Final = "incoming"
NOT_JSON: Final = "not_json"
TOO_LONG: Final = "too_long"
HEADER: Final = re.compile(r"\d([0-9]{1,18})\[")
EVENT_TYPES: Final = frozenset("25")
"""Packet types of an event, and of an event with binary attachments."""


@dataclass(frozen=True)
class Incoming:
    """An event from a client, not validated: its name and argument, or the code of a problem."""

    event: str
    payload: object
    wants_answer: bool
    problem: str | None = None


class JsonCodec:
    """orjson with the interface that python-socketio expects of a JSON module."""

    @staticmethod
    def dumps(data: object, **_options: object) -> str:
        return orjson.dumps(data).decode()

    @staticmethod
    def loads(text: str) -> Any:  # noqa: ANN401  (JSON)
        return orjson.loads(text)


class ArenaPacket(packet.Packet):
    """A Socket.IO packet as the arena sends and reads it: JSON only, no attachments.

    Decoding never fails. Whatever a client sends as an event becomes the one event `INCOMING`, with
    an `Incoming` that holds the event or its problem. So a message that is not JSON is answered
    like any other, and no client can send the library's own events ("connect", "disconnect").
    """

    uses_binary_events = False
    json = JsonCodec  # type: ignore[assignment]  # not a module, but with a module's functions

    def __init__(
        self,
        packet_type: int = packet.EVENT,
        data: object = None,
        namespace: str | None = None,
        id: int | None = None,  # noqa: A002  (the library's name for it)
        binary: bool | None = None,
        encoded_packet: object = None,
    ) -> None:
        # The library does not decode an empty packet; a blank is decoded, and refused.
        blank = " " if encoded_packet is not None and not encoded_packet else encoded_packet
        super().__init__(packet_type, data, namespace, id, binary, blank)

    def decode(self, encoded_packet: object) -> int:
        """Read a packet of any kind; returns the number of attachments to come, always 0."""
        text = encoded_packet if isinstance(encoded_packet, str) else ""
        if text[:1] not in EVENT_TYPES and text[:1] != str(packet.CONNECT):
            return self._decode_other(text)
        too_long = len(text) > wire.MAX_MESSAGE_BYTES or (
            len(text.encode(errors="replace")) > wire.MAX_MESSAGE_BYTES
        )
        problem = self._decode_safely(text) if not too_long else self._skip(text)
        if text[:1] == str(packet.CONNECT):
            self.packet_type = packet.CONNECT
            if problem is not None:
                self.data = Incoming("connect", None, True, problem)
            return 0
        if text[:1] == str(packet.BINARY_EVENT):
            problem = NOT_JSON
        self.packet_type = packet.EVENT
        self.data = [INCOMING, self._incoming(problem)]
        return 0

    def _decode_other(self, text: str) -> int:
        """Read a disconnect packet; all others become an `Incoming` with a problem."""
        if text[:1] == str(packet.DISCONNECT) and self._decode_safely(text) is None:
            return 0
        self.packet_type = packet.EVENT
        self.id = None
        self.data = [INCOMING, self._incoming(NOT_JSON)]
        return 0

    def _decode_safely(self, text: str) -> str | None:
        try:
            attachments = super().decode(text)
        except (ValueError, IndexError, RecursionError):
            return NOT_JSON
        return NOT_JSON if attachments else None

    def _skip(self, text: str) -> str:
        """Read only the number of the acknowledgement of a packet that is too long."""
        if match := HEADER.match(text):
            self.id = int(match[1])
        return TOO_LONG

    def _incoming(self, problem: str | None) -> Incoming:
        wants_answer = self.id is not None
        data = self.data if problem is None else None
        match data:
            case [str(event), dict(payload)]:
                return Incoming(event, payload, wants_answer)
            case [str(event), *_]:
                return Incoming(event, None, wants_answer, NOT_JSON)
            case _:
                return Incoming("", None, wants_answer, problem or NOT_JSON)


SHOWN_PROBLEMS: Final = 3
Message = TypeVar("Message", bound=BaseModel)


def checked(incoming: Incoming) -> BaseModel:
    """The message of an event. Raises Refused if it is not valid."""
    if incoming.problem is not None:
        raise Refused(incoming.problem)
    if incoming.event not in wire.CLIENT_EVENTS:
        raise Refused("unknown_event", f"There is no event {incoming.event[:40]!r}.")
    model, _ = wire.CLIENT_EVENTS[incoming.event]
    return parsed(model, incoming.payload)


def parsed(model: type[Message], payload: object) -> Message:
    """`payload` as a message of that model. Raises Refused, naming each wrong field."""
    if not isinstance(payload, dict):
        raise Refused("not_json")
    _check_version(payload)
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        raise Refused("invalid", _what_is_wrong(error, model)) from error


def _check_version(payload: dict[str, object]) -> None:
    needed = f"the number {wire.VERSION} is needed"
    if "v" not in payload:
        raise Refused("wrong_version", f"`v` is missing; {needed}.")
    version = payload["v"]
    if isinstance(version, bool) or not isinstance(version, int | float):
        raise Refused("wrong_version", f"`v` is {in_words(version)}; {needed}.")
    if version != wire.VERSION:
        spoken = f"this server speaks {wire.VERSION}"
        raise Refused("wrong_version", f"`v` asks for version {version}; {spoken}.")


def _in_words(problem: ErrorDetails, model: type[BaseModel]) -> str:
    if problem["type"] == "extra_forbidden":
        *place, key = problem["loc"]
        return "unknown field" + did_you_mean(str(key)[:40], keys_at(model, tuple(place)))
    if problem["type"] == "missing":
        return "it is missing"
    is_name = problem.get("ctx", {}).get("pattern") == PATTERN
    return RULE if is_name else problem["msg"].removeprefix("Value error, ")


def _what_is_wrong(error: ValidationError, model: type[BaseModel]) -> str:
    problems = error.errors(include_url=False, include_input=False)
    shown = [
        f"{'.'.join(str(part)[:40] for part in each['loc']) or 'message'}: {_in_words(each, model)}"
        for each in problems[:SHOWN_PROBLEMS]
    ]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"and {len(problems) - SHOWN_PROBLEMS} more")
    return "; ".join(shown)


TRANSPORT_BYTES: Final = 4 * wire.MAX_MESSAGE_BYTES
"""A longer message ends its connection; one between the protocol's limit and this is refused."""
NAMESPACE: Final = "/"

Acknowledge = Callable[[str], None]
"""Sends the acknowledgement of an event, as JSON."""
OnEvent = Callable[[str, Any, Acknowledge | None], Coroutine[Any, Any, None]]
"""Handles an event; gets the connection, the event, and its acknowledgement if one is awaited."""


class SocketServer(socketio.AsyncServer):
    """python-socketio's server over `EngineServer`.

    `on_event` is called for each event, in a task of its own; a connection with too many unfinished
    ones is not read meanwhile. It replaces the library's handlers by name, because `ArenaPacket`
    gives all events the same name.
    """

    on_event: OnEvent
    is_question: Callable[[str], bool]

    async def _handle_event(
        self,
        eio_sid: str,
        namespace: str | None,
        id: int | None,  # noqa: A002  (the library's name)
        data: list[Any],
    ) -> None:
        connection = self.manager.sid_from_eio_sid(eio_sid, namespace or NAMESPACE)
        if connection is None or not self.manager.is_connected(connection, NAMESPACE):
            return
        socket = self.eio.sockets.get(eio_sid)
        if socket is None:
            return
        acknowledge = None if id is None else partial(self._acknowledge, eio_sid, id)
        await socket.unfinished.room()
        incoming: Incoming = data[1]
        is_question = self.is_question(incoming.event)
        request = self.on_event(connection, incoming, acknowledge)
        socket.unfinished.start(request, is_question=is_question)

    def _acknowledge(self, eio_sid: str, number: int, answer: str) -> None:
        socket = self.eio.sockets.get(eio_sid)
        if socket is not None:
            socket.put(text_frame(f"{MESSAGE}{packet.ACK}{number}[{answer}]".encode()))

    def _engineio_server_class(self) -> type[EngineServer]:
        return EngineServer

    def set_pace(self, connection: str, pace: Pace) -> None:
        """Read a connection's frames, and work on its requests, at that pace from now on."""
        socket = self.socket_of(connection)
        if socket is not None:
            socket.budget.set(pace)
            socket.unfinished.most = pace.unfinished

    def socket_of(self, connection: str, namespace: str = NAMESPACE) -> Socket | None:
        """The socket of a connection; None if it is closed."""
        sid = self.manager.eio_sid_from_sid(connection, namespace)
        sockets: dict[str, Socket] = self.eio.sockets
        return sockets.get(sid)


def socket_server(limits: ConnectionLimits) -> SocketServer:
    """A server for WebSockets and `ArenaPacket` only."""
    # Below ERROR the library logs whole packets, which may contain tokens.
    logger = logging.getLogger("bot.arena.socketio")
    logger.setLevel(logging.ERROR)
    # Below ERROR this logger logs the subprotocols of every handshake.
    logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)
    return SocketServer(
        async_mode="aiohttp",
        transports=["websocket"],
        monitor_clients=False,
        serializer=ArenaPacket,
        logger=logger,
        engineio_logger=logger,
        max_http_buffer_size=TRANSPORT_BYTES,
        ping_interval=limits.ping_interval_s,
        ping_timeout=limits.ping_timeout_s,
        cors_allowed_origins=[],  # `Handshake` checks origins; an empty list turns this check off
    )
