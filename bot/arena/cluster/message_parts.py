"""Messages as texts of bounded size, for a transport whose payload is a short text.

A part is `sender.mac number index count data`, with data in Base64. The data of all parts together
are the topics as JSON, a line feed, and the message.
"""

import binascii
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import orjson

from bot.arena.cluster.bus import LARGEST_MESSAGE, Envelope
from bot.runtime.bounded import BoundedMemory

PAYLOAD: Final = 7999
"""Bytes of a part: PostgreSQL takes fewer than 8000."""
CHUNK: Final = (PAYLOAD - 100) // 4 * 3
"""Bytes of data in a part; its other fields have at most 100 characters."""
LARGEST: Final = LARGEST_MESSAGE + 100_000
PARTIAL_BYTES: Final = 4 * LARGEST
"""Bytes of all messages together that wait for their other parts."""


def cut(envelope: Envelope) -> Iterator[str]:
    """The parts of a message, in their order."""
    data = orjson.dumps(envelope.topics) + b"\n" + envelope.message
    count = -(-len(data) // CHUNK)
    for index in range(count):
        chunk = binascii.b2a_base64(data[index * CHUNK : (index + 1) * CHUNK], newline=False)
        yield (
            f"{envelope.sender}.{envelope.mac} {envelope.number} {index} {count} {chunk.decode()}"
        )


@dataclass
class _Partial:
    number: int
    parts: int = 0
    data: bytearray = field(default_factory=bytearray)


class Joiner:
    """Joins parts to messages again. A message of which a part is missing is dropped.

    The parts of one sender come in their order, so that at most one message of it is incomplete.
    """

    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        """`is_wanted` says which senders' messages are joined; others are dropped unread."""
        self._is_wanted = is_wanted
        self._partial: BoundedMemory[str, _Partial] = BoundedMemory(
            PARTIAL_BYTES, size=lambda partial: partial.parts * CHUNK
        )

    def joined(self, part: str) -> Envelope | None:
        """The message that this part completes. Raises ValueError if the part is none of ours."""
        signed_by, number_text, index_text, count_text, text = part.split(" ")
        sender, _, mac = signed_by.partition(".")
        if not self._is_wanted(sender):
            return None
        number, index, count = int(number_text), int(index_text), int(count_text)
        data = binascii.a2b_base64(text, strict_mode=True)
        if count == 1:
            return _envelope(sender, number, mac, data)
        partial = _Partial(number) if index == 0 else self._partial.get(sender)
        if partial is None or (partial.number, partial.parts) != (number, index):
            self._partial.forget(sender)
            return None
        self._partial.forget(sender)
        partial.parts += 1
        partial.data += data
        if partial.parts == count:
            return _envelope(sender, number, mac, bytes(partial.data))
        if len(partial.data) <= LARGEST:
            self._partial.put(sender, partial)
        return None


def _envelope(sender: str, number: int, mac: str, data: bytes) -> Envelope:
    topics, _, message = data.partition(b"\n")
    return Envelope(sender, number, tuple(map(str, orjson.loads(topics))), message, mac)
