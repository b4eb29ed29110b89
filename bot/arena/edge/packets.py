"""Socket.IO packets and WebSocket frames: what a client sends, read, and what it gets, encoded.

Engine.IO puts one digit before each text, and Socket.IO another one. The arena sends and reads JSON
only, without attachments, in the one namespace `/`.

Reading never fails. Whatever a client sends as an event becomes an `Incoming`, with the event or
its problem, so that a message that is not JSON is answered like any other.

Protocols: RFC 6455 for frames, https://socket.io/docs/v4/engine-io-protocol/ (revision 4) and
https://socket.io/docs/v4/socket-io-protocol/ (revision 5).
"""

import re
from dataclasses import dataclass
from typing import Final, Protocol

import orjson
from aiohttp import WSCloseCode

from bot import wire

# Engine.IO
OPEN, CLOSE, PING, PONG, MESSAGE = "0", "1", "2", "3", "4"
# Socket.IO
CONNECT, DISCONNECT, EVENT, ACK, CONNECT_ERROR, BINARY_EVENT = "0", "1", "2", "3", "4", "5"

GOODBYE: Final = f"{MESSAGE}{DISCONNECT}"
"""A client that sends this and wants to continue opens another connection."""
NAMESPACE: Final = "/"
NOT_JSON: Final = "not_json"
TOO_LONG: Final = "too_long"

_HEADER: Final = re.compile(r"[025](\d+-)?(?:(/[^,]*),?)?([0-9]{1,100})?", re.ASCII)
"""Kind, number of attachments, namespace, and the number of the acknowledgement."""
_NUMBER_OF_LONG: Final = re.compile(r"\d([0-9]{1,18})\[", re.ASCII)


@dataclass(frozen=True, slots=True)
class Incoming:
    """An event from a client, not validated: its name and argument, or the code of a problem.

    `number` is that of its acknowledgement; None if the client wants none.
    """

    event: str
    payload: object
    number: int | None = None
    problem: str | None = None
    namespace: str = NAMESPACE


@dataclass(frozen=True, slots=True)
class Connect:
    """A login, with its credentials or the code of a problem."""

    auth: object
    problem: str | None = None
    namespace: str = NAMESPACE


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The client leaves a namespace."""

    namespace: str = NAMESPACE


def read_packet(text: str) -> Connect | Disconnect | Incoming:
    """The Socket.IO packet of a message."""
    kind = text[:1]
    if kind == DISCONNECT:
        return _disconnect(text)
    header = _HEADER.match(text)
    if header is None:
        return Incoming("", None, problem=NOT_JSON)
    if _is_too_long(text):
        return _too_long(text)
    attachments, namespace, digits = header.groups()
    data, problem = _json(text[header.end() :])
    if attachments is not None or kind == BINARY_EVENT:
        problem = NOT_JSON
    place = NAMESPACE if namespace is None else namespace.partition("?")[0]
    if kind == CONNECT:
        return Connect(data, problem, place)
    number = None if digits is None else int(digits)
    if problem is None:
        match data:
            case [str(event), dict(payload)]:
                return Incoming(event, payload, number, None, place)
            case [str(event), *_]:
                return Incoming(event, None, number, NOT_JSON, place)
            case _:
                pass
    return Incoming("", None, number, NOT_JSON, place)


def _disconnect(text: str) -> Disconnect | Incoming:
    namespace, _, rest = text[1:].partition(",")
    if rest or not (namespace == "" or namespace.startswith("/")):
        return Incoming("", None, problem=NOT_JSON)
    return Disconnect(namespace.partition("?")[0] or NAMESPACE)


def _is_too_long(text: str) -> bool:
    if len(text) > wire.MAX_MESSAGE_BYTES:
        return True
    return not text.isascii() and len(text.encode(errors="replace")) > wire.MAX_MESSAGE_BYTES


def _too_long(text: str) -> Connect | Incoming:
    """Read only the number of the acknowledgement."""
    if text[0] == CONNECT:
        return Connect(None, TOO_LONG)
    match = _NUMBER_OF_LONG.match(text)
    return Incoming("", None, None if match is None else int(match[1]), TOO_LONG)


def _json(text: str) -> tuple[object, str | None]:
    """What a text says, and the code of a problem."""
    if not text:
        return None, None
    try:
        return orjson.loads(text), None
    except ValueError:
        return None, NOT_JSON


# ---- what clients get ------------------------------------------------------------------------


class Encodable(Protocol):
    """A message that has a JSON text."""

    def model_dump_json(self) -> str: ...


TEXT_FRAME: Final = 0x81


def text_frame(payload: bytes) -> bytes:
    """A text message of a server as one WebSocket frame: final, not masked, not compressed."""
    size = len(payload)
    if size < 126:
        return bytes((TEXT_FRAME, size)) + payload
    if size < 1 << 16:
        return bytes((TEXT_FRAME, 126)) + size.to_bytes(2) + payload
    return bytes((TEXT_FRAME, 127)) + size.to_bytes(8) + payload


PING_FRAME: Final = text_frame(PING.encode())
CLOSE_FRAME: Final = b"\x88\x02" + WSCloseCode.OK.to_bytes(2)
GOING_AWAY_FRAME: Final = b"\x88\x02" + WSCloseCode.GOING_AWAY.to_bytes(2)


def open_frame(sid: str, ping_interval_s: float, ping_timeout_s: float, most_bytes: int) -> bytes:
    """The first message: the id of the connection, and its terms."""
    terms = {
        "sid": sid,
        "upgrades": [],
        "pingInterval": round(ping_interval_s * 1000),
        "pingTimeout": round(ping_timeout_s * 1000),
        "maxPayload": most_bytes,
    }
    return text_frame(OPEN.encode() + orjson.dumps(terms))


def accepted_frame(sid: str) -> bytes:
    """The answer to a login that succeeds."""
    return text_frame(f'{MESSAGE}{CONNECT}{{"sid":"{sid}"}}'.encode())


def refused_frame(why: object, namespace: str = NAMESPACE) -> bytes:
    """The answer to a login that is refused."""
    place = "" if namespace == NAMESPACE else f"{namespace},"
    return text_frame(f"{MESSAGE}{CONNECT_ERROR}{place}".encode() + orjson.dumps(why))


def event_frame(event: str, message: str) -> bytes:
    """An event, with its message as JSON."""
    return text_frame(f'{MESSAGE}{EVENT}["{event}",{message}]'.encode())


def answer_frame(number: int, answer: str) -> bytes:
    """The acknowledgement of the event with that number, as JSON."""
    return text_frame(f"{MESSAGE}{ACK}{number}[{answer}]".encode())
