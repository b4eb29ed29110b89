"""A bus over connections to a server: its backlog, its reconnecting, and how it announces losses.

Problem. The users of a bus publish from the middle of their work: they must not wait, and a server
that is slow or away must not fill the memory. A connection may end at any time, and then nobody
knows what was lost.

Idea.

- `publish` puts a message into a backlog of bounded size. One task sends what waits as one batch,
  so that batches grow with the load and a burst costs few round trips.
- While there is no connection, messages are dropped and not kept: subscribers would get them late
  and out of step with the database, which they have to read in any case.
- A bus that has dropped messages announces that as soon as it can, by a message of the topic
  LOST. So every process that missed something learns of the loss, not only the one that caused it.
- The numbers of one sender rise, and its messages come in order. So a message that comes again,
  because it has several topics, is recognised by its number alone.
- Only a message with a valid MAC counts, so a stranger cannot raise the numbers of a sender.
"""

import asyncio
import random
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol

import structlog

from bot.arena.cluster.bus import (
    LARGEST_MESSAGE,
    LARGEST_NUMBER,
    Envelope,
    call_user,
    ignore_gap,
    ignore_message,
)
from bot.backoff import Backoff
from bot.errors import HostError
from bot.runtime.bounded import BoundedMemory
from bot.runtime.tasks import OwnedTasks
from bot.time_source import SystemTime, TimeSource

LOST: Final = "!lost"
"""The topic on which a sender announces that it has dropped messages. Every bus subscribes."""
BACKLOG_BYTES: Final = 16_000_000
BATCH_BYTES: Final = 1_000_000
OVERHEAD: Final = 200
"""Bytes that a message in the backlog takes in addition to its text."""
SENDERS_BYTES: Final = 500_000
"""For the last numbers of about 1,000 senders, more than an arena has processes."""

REFUSED_EVERY_S: Final = 60.0
"""Messages of strangers are logged this often."""

CONNECT_S: Final = 10.0
SETTLE_S: Final = 5.0
CLOSE_S: Final = 3.0
RETRY_S: Final = 0.1
RETRY_LIMIT_S: Final = 5.0


class BusSession(Protocol):
    """Connections to the server of a bus, until the first of them is lost.

    All methods raise one of the transport's errors, or TimeoutError, if the session is lost.
    """

    async def receive(self, take: Callable[[Envelope], None]) -> None:
        """Pass on all messages until the session is lost. A silent connection is lost within 5 s.

        `take` may get messages of other topics, own messages, and messages twice.
        """

    async def send(self, batch: Sequence[Envelope]) -> None:
        """Send these messages, in this order."""

    async def follow(self, topics: AbstractSet[str]) -> None:
        """Subscribe to exactly these topics; return when that is in effect."""

    async def close(self) -> None:
        """Disconnect."""


class Transport(Protocol):
    """Makes sessions. `name` is its address in messages, without a password."""

    name: str
    errors: tuple[type[Exception], ...]

    async def connect(self, topics: AbstractSet[str]) -> BusSession:
        """Raises one of `errors`, or HostError if the server can never be used."""


class ConnectedBus:
    """A `Bus` over a transport. Messages without a MAC by `key` are dropped."""

    def __init__(
        self,
        transport: Transport,
        key: bytes,
        time: TimeSource | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.on_message: Callable[[bytes], None] = ignore_message
        self.on_gap: Callable[[], None] = ignore_gap
        self._transport = transport
        self._errors: tuple[type[Exception], ...] = (*transport.errors, OSError, TimeoutError)
        self._time = time or SystemTime()
        self._backoff = Backoff(RETRY_S, RETRY_LIMIT_S, rng or random.Random())
        self._sender = secrets.token_hex(6)
        self._key = key
        self._backlog = Backlog(self._sender, key)
        self._refused = 0
        self._refused_at = -REFUSED_EVERY_S
        self._topics = {LOST}
        self._topics_changed = asyncio.Event()
        self._followed = asyncio.Event()
        self._seen: BoundedMemory[str, int] = BoundedMemory(SENDERS_BYTES)
        self._session: BusSession | None = None
        self._tasks = OwnedTasks("bus_failed", bus=transport.name)
        # Never cancelled: a connection that nobody closes stays open until the collector finds it.
        self._retiring = OwnedTasks("bus_failed", bus=transport.name)
        self._log = structlog.get_logger().bind(bus=transport.name)

    async def open(self) -> None:
        """See `Bus`."""
        try:
            session = await self._connected()
        except self._errors as error:
            message = f"{self._transport.name}: the bus cannot connect: {_line(error)}"
            raise HostError(message) from error
        self._tasks.start(self._run(session))

    async def close(self) -> None:
        """See `Bus`."""
        await self._tasks.cancel()
        await self._retiring.wait()  # also the session that has just ended
        if self._session is not None:  # it was opened and closed at once
            await self._retire(self._session)
            self._session = None

    def publish(self, topics: Sequence[str], message: bytes) -> None:
        """See `Bus`."""
        if self._session is None or not self._backlog.add(tuple(topics), message):
            self._drop(len(message))

    def subscribe(self, topic: str) -> None:
        """See `Bus`."""
        if topic not in self._topics:
            self._topics.add(topic)
            self._follow()

    def unsubscribe(self, topic: str) -> None:
        """See `Bus`."""
        if topic in self._topics:
            self._topics.remove(topic)
            self._follow()

    async def settle(self) -> None:
        """See `Bus`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_S):
                while self._session is not None and not self._followed.is_set():
                    await self._followed.wait()

    def _follow(self) -> None:
        self._followed.clear()
        self._topics_changed.set()

    def _drop(self, size: int) -> None:
        if not self._backlog.has_dropped and self._session is not None:
            self._log.warning("bus_full", size=size)  # once, until it keeps up again
        self._backlog.note_loss()

    async def _run(self, session: BusSession) -> None:
        """Serve session after session."""
        while True:
            await self._serve(session)
            session = await self._reconnected()
            self._log.info("bus_returned")
            call_user(self.on_gap)

    async def _connected(self) -> BusSession:
        async with asyncio.timeout(CONNECT_S):
            topics = frozenset(self._topics)
            session = await self._transport.connect(topics)
        self._session = session
        if topics == self._topics:
            self._topics_changed.clear()
            self._followed.set()
        else:
            self._follow()
        return session

    async def _reconnected(self) -> BusSession:
        while True:
            await self._time.sleep(self._backoff.next())
            try:
                return await self._connected()
            except Exception as error:  # noqa: BLE001 - a bus that gives up is deaf for good
                self._log.debug("bus_not_connected", why=_line(error))

    async def _serve(self, session: BusSession) -> None:
        """Return when the session is lost."""
        works = (session.receive(self._take), self._send(session), self._follow_changes(session))
        tasks = [asyncio.create_task(work) for work in works]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            error = done.pop().exception()
            if isinstance(error, Exception):
                self._note_loss(error)
        finally:
            self._session = None
            self._backlog.drop_all()
            self._followed.set()  # nobody waits for a session that has ended
            for task in tasks:
                task.cancel()
            self._retiring.start(self._retire(session, tasks))

    def _note_loss(self, error: Exception) -> None:
        if isinstance(error, self._errors):
            self._log.warning("bus_lost", why=_line(error))
        else:  # a fault of ours, after which the bus begins again
            self._log.error("bus_failed", exc_info=error)

    async def _retire(self, session: BusSession, tasks: Sequence[asyncio.Task[None]] = ()) -> None:
        """Disconnect what may be dead, while the next session already begins."""
        with suppress(*self._errors):
            async with asyncio.timeout(CLOSE_S):
                await end_all(tasks)
        with suppress(*self._errors):
            async with asyncio.timeout(CLOSE_S):
                await session.close()

    async def _send(self, session: BusSession) -> None:
        while True:
            batch = await self._backlog.batch()
            await session.send(batch)
            self._backoff.reset()

    async def _follow_changes(self, session: BusSession) -> None:
        while True:
            await self._topics_changed.wait()
            self._topics_changed.clear()
            await session.follow(frozenset(self._topics))
            if not self._topics_changed.is_set():
                self._followed.set()

    def _take(self, envelope: Envelope) -> None:
        self._backoff.reset()
        if envelope.sender == self._sender or self._topics.isdisjoint(envelope.topics):
            return
        seen = self._seen.get(envelope.sender)
        if seen is not None and envelope.number <= seen:
            return
        if envelope.number > LARGEST_NUMBER or not envelope.is_by(self._key):
            self._refuse(envelope)
            return
        self._seen.put(envelope.sender, envelope.number)
        if LOST in envelope.topics:
            call_user(self.on_gap)
        else:
            call_user(lambda: self.on_message(envelope.message))

    def _refuse(self, envelope: Envelope) -> None:
        """Drop a message that no process of this arena has sent."""
        self._refused += 1
        now = self._time.monotonic()
        if now - self._refused_at >= REFUSED_EVERY_S:
            self._log.warning(
                "bus_message_refused", messages=self._refused, topics=envelope.topics[:3]
            )
            self._refused, self._refused_at = 0, now


async def end_all(tasks: Sequence[asyncio.Task[None]]) -> None:
    """Cancel tasks until they have ended. Their failures are dropped.

    Once is not enough: in Python 3.11, `asyncio.wait_for`, which libraries use, returns normally if
    its work ends in the moment in which it is cancelled.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        done, pending = await asyncio.wait(pending, timeout=0.1)
        for task in done:
            if not task.cancelled():
                task.exception()  # asyncio reports failures that nobody has looked at


class Backlog:
    """Messages that wait to be sent, and whether others were dropped in the meantime."""

    def __init__(self, sender: str, key: bytes) -> None:
        self.has_dropped = False
        self._sender = sender
        self._key = key
        self._numbered = 0
        self._waiting: deque[Envelope] = deque()
        self._bytes = 0
        self._is_filled = asyncio.Event()

    def add(self, topics: tuple[str, ...], message: bytes) -> bool:
        """Whether there is room for the message."""
        cost = len(message) + OVERHEAD
        if len(message) > LARGEST_MESSAGE or self._bytes + cost > BACKLOG_BYTES:
            return False
        self._append(topics, message)
        return True

    async def batch(self) -> Sequence[Envelope]:
        """Wait for messages, and take some of them, at least one. The news of a loss comes last."""
        if not self._waiting and not self.has_dropped:
            self._is_filled.clear()
            await self._is_filled.wait()
        if self.has_dropped and self._bytes < BACKLOG_BYTES // 2:
            self.has_dropped = False
            self._append((LOST,), b"")
        taken: list[Envelope] = []
        size = 0
        while self._waiting and size < BATCH_BYTES:
            taken.append(self._waiting.popleft())
            size += len(taken[-1].message) + OVERHEAD
        self._bytes -= size
        return taken

    def note_loss(self) -> None:
        self.has_dropped = True
        self._is_filled.set()

    def drop_all(self) -> None:
        """Drop what waits, because the connection is lost; what is on its way may be lost too."""
        self._waiting.clear()
        self._bytes = 0
        self.note_loss()

    def _append(self, topics: tuple[str, ...], message: bytes) -> None:
        self._numbered += 1
        bare = Envelope(self._sender, self._numbered, topics, message)
        self._waiting.append(replace(bare, mac=bare.mac_by(self._key)))
        self._bytes += len(message) + OVERHEAD
        self._is_filled.set()


def _line(error: Exception) -> str:
    """The begin of the error's text, in one line."""
    return " ".join(str(error).split())[:300] or type(error).__name__
