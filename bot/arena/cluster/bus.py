"""Events between the processes of one arena: what a bus promises, and one without a network.

A bus is fast and may lose messages. What must not be lost is in numbered rows of the database: a
process that is told of a gap, or that sees a number missing, reads them.

A stranger who can publish on the server of a bus could invent events. So each message carries a MAC
of its sender, its number and its text, by a key that only the processes of the arena know. A bus
drops all other messages. The topics are not part of the MAC: they only say which processes look at
a message, and its text says which clients get it.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

LARGEST_MESSAGE: Final = 4_000_000
"""Size in bytes. A longer message is dropped, like one that the bus loses."""
LARGEST_NUMBER: Final = 2**53
"""The highest number of a message: 10,000 a second take 28,000 years."""
MAC_LENGTH: Final = 32
"""Characters of a MAC: 128 bits."""


class Bus(Protocol):
    """Carries messages to the other processes that subscribe to one of their topics.

    - A process does not get its own messages.
    - A message with several topics reaches a process once.
    - The messages of one publisher come in their order.
    - Messages may be lost: while the server of the bus is away, before a subscription is in effect,
      or if a publisher is faster than the bus. If the bus knows of a loss, it calls `on_gap` in
      every process that may have missed something.

    Set `on_message` and `on_gap` before `open`. Both are called in the event loop.
    """

    on_message: Callable[[bytes], None]
    on_gap: Callable[[], None]

    async def open(self) -> None:
        """Connect. Raises HostError if the server cannot be reached or used."""

    async def close(self) -> None:
        """Drop what waits, and disconnect. A bus that is not open may be closed too."""

    def publish(self, topics: Sequence[str], message: bytes) -> None:
        """Send a message soon. Never waits or raises; the message is dropped while the bus is away,
        or if too much waits.
        """

    def subscribe(self, topic: str) -> None:
        """Get messages of this topic soon; `settle` says when."""

    def unsubscribe(self, topic: str) -> None:
        """Get no more messages of this topic, from now on."""

    async def settle(self) -> None:
        """Return when all subscriptions are in effect: what is published from now on is not missed.

        Returns at once while the bus is away, and after a few seconds in any case.
        """


@dataclass(frozen=True)
class Envelope:
    """A message, the bus that sends it, and its number among the messages of that bus."""

    sender: str
    number: int
    topics: tuple[str, ...]
    message: bytes
    mac: str = ""

    def mac_by(self, key: bytes) -> str:
        """The MAC of this message by a key."""
        text = b"%b %d %b" % (self.sender.encode(), self.number, self.message)
        return hmac.digest(key, text, hashlib.sha256).hex()[:MAC_LENGTH]

    def is_by(self, key: bytes) -> bool:
        """Return whether a process that knows the key has sent this."""
        return hmac.compare_digest(self.mac.encode(), self.mac_by(key).encode())


def bus_key(secret: str) -> bytes:
    """The key of the bus, from the secret that the processes of an arena share."""
    return hmac.digest(secret.encode(), b"bluestone bus", hashlib.sha256)


def ignore_message(_: bytes) -> None:
    """The `on_message` of a bus before one is set."""


def ignore_gap() -> None:
    """The `on_gap` of a bus before one is set."""


def call_user(function: Callable[[], None]) -> None:
    """Call `on_message` or `on_gap`. A failure is logged and does not end the bus."""
    try:
        function()
    except Exception as error:  # noqa: BLE001 - one message must not end the bus
        structlog.get_logger().error("bus_message_failed", exc_info=error)


def never_lost(_: Envelope) -> bool:
    return False


class LocalHub:
    """Connects the buses of several processes that are simulated within one Python process.

    `loses` says for each message whether the hub silently drops it.
    """

    def __init__(self, loses: Callable[[Envelope], bool] = never_lost) -> None:
        self.loses = loses
        self._members: dict[str, LocalBus] = {}
        self._cut: dict[str, bool] = {}

    def bus(self, process_id: str) -> "LocalBus":
        return LocalBus(self, process_id)

    def cut(self, process_id: str) -> None:
        """Take the bus away from one process, as a broken connection does."""
        self._cut.setdefault(process_id, False)

    def restore(self, process_id: str) -> None:
        """Connect it again. Its `on_gap` is called, and that of the others if it had published."""
        has_published = self._cut.pop(process_id)
        for name, member in list(self._members.items()):
            if name == process_id or (has_published and name not in self._cut):
                member.miss()

    def enter(self, bus: "LocalBus") -> None:
        self._members[bus.process_id] = bus

    def leave(self, bus: "LocalBus") -> None:
        self._members.pop(bus.process_id, None)

    def carry(self, envelope: Envelope) -> None:
        if envelope.sender in self._cut:
            self._cut[envelope.sender] = True
        elif not self.loses(envelope):
            for name, member in list(self._members.items()):
                if name != envelope.sender and name not in self._cut:
                    member.take(envelope)


class LocalBus:
    """A `Bus` for tests and simulations; `LocalHub.bus` makes it."""

    def __init__(self, hub: LocalHub, process_id: str) -> None:
        self.on_message: Callable[[bytes], None] = ignore_message
        self.on_gap: Callable[[], None] = ignore_gap
        self.process_id = process_id
        self._hub = hub
        self._topics: set[str] = set()
        self._published = 0
        self._is_open = False

    async def open(self) -> None:
        self._is_open = True
        self._hub.enter(self)

    async def close(self) -> None:
        self._is_open = False
        self._hub.leave(self)

    def publish(self, topics: Sequence[str], message: bytes) -> None:
        if self._is_open and len(message) <= LARGEST_MESSAGE:
            self._published += 1
            self._hub.carry(Envelope(self.process_id, self._published, tuple(topics), message))

    def subscribe(self, topic: str) -> None:
        self._topics.add(topic)

    def unsubscribe(self, topic: str) -> None:
        self._topics.discard(topic)

    async def settle(self) -> None:
        """Subscriptions are in effect at once."""

    def take(self, envelope: Envelope) -> None:
        # Later, as from a network: a publisher never runs a subscriber's code.
        asyncio.get_running_loop().call_soon(self._deliver, envelope)

    def miss(self) -> None:
        asyncio.get_running_loop().call_soon(call_user, self.on_gap)

    def _deliver(self, envelope: Envelope) -> None:
        if self._is_open and not self._topics.isdisjoint(envelope.topics):
            call_user(lambda: self.on_message(envelope.message))
