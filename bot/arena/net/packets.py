"""What comes in over Socket.IO, before anybody believes it.

`ArenaPacket` reads every packet without ever failing: whatever a client sends as an event becomes
one event of ours, `INCOMING`, with an `Incoming` that says what it was or what is wrong with it. So
a message that is not JSON is answered like any other, and no client can call the library's own
events ("connect", "disconnect") by name.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import orjson
from socketio import packet

from bot import wire

INCOMING: Final = "incoming"
NOT_JSON: Final = "not_json"
TOO_LONG: Final = "too_long"
HEADER: Final = re.compile(r"\d([0-9]{1,18})\[")
EVENT_TYPES: Final = frozenset("25")
"""Packet types of an event, and of an event with binary attachments."""


@dataclass(frozen=True)
class Incoming:
    """An event from a client: its name and its one argument, or the code of what is wrong."""

    event: str
    payload: object
    wants_answer: bool
    problem: str | None = None


class JsonCodec:
    """orjson, in the shape in which python-socketio calls a JSON module."""

    @staticmethod
    def dumps(data: object, **_options: object) -> str:
        return orjson.dumps(data).decode()

    @staticmethod
    def loads(text: str) -> Any:  # noqa: ANN401  (JSON)
        return orjson.loads(text)


class ArenaPacket(packet.Packet):
    """A Socket.IO packet as the arena sends and reads it: JSON only, no attachments."""

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
        # The library does not even look at an empty packet; a blank is read, and refused.
        blank = " " if encoded_packet is not None and not encoded_packet else encoded_packet
        super().__init__(  # type: ignore[no-untyped-call]
            packet_type, data, namespace, id, binary, blank
        )

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
        """Acknowledgements and goodbyes; what is neither is shown as a broken event."""
        if text[:1] == str(packet.DISCONNECT) and self._decode_safely(text) is None:
            return 0
        self.packet_type = packet.EVENT
        self.id = None
        self.data = [INCOMING, self._incoming(NOT_JSON)]
        return 0

    def _decode_safely(self, text: str) -> str | None:
        try:
            attachments = super().decode(text)  # type: ignore[no-untyped-call]
        except (ValueError, IndexError, RecursionError):
            return NOT_JSON
        return NOT_JSON if attachments else None

    def _skip(self, text: str) -> str:
        """Leave a long packet unread, but for the number of the answer that its sender awaits."""
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
