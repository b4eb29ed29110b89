"""A bus over publish and subscribe of a Valkey or Redis server. Imports the optional `valkey`.

Each topic is a channel. A message with several topics is published to each of them, so it may come
several times; the bus takes it once, by its number.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, Protocol, cast
from urllib.parse import quote, urlsplit

import structlog
from valkey.asyncio import ConnectionPool, Valkey
from valkey.asyncio.client import PubSub
from valkey.asyncio.connection import parse_url
from valkey.exceptions import ValkeyError

from bot.arena.cluster.bus import Envelope
from bot.arena.cluster.connected_bus import end_all
from bot.errors import ConfigurationError
from bot.runtime.logs import learn_secret

SILENCE_S: Final = 4.0
"""Seconds without any answer after which a connection is lost."""
PING_S: Final = 1.5
"""Seconds between two questions whether the connection is alive."""
NUMBER: Final = 20
"""Digits that no message's number has."""
UNREADABLE: Final = "the URL cannot be read; in a password, write / as %2F and @ as %40"


class _Subscriber(Protocol):
    """What is used of the class PubSub, which is annotated in part."""

    async def subscribe(self, *channels: str) -> object: ...
    async def unsubscribe(self, *channels: str) -> object: ...
    async def ping(self) -> object: ...
    async def parse_response(self) -> object: ...
    async def handle_message(self, response: object) -> object: ...
    async def aclose(self) -> None: ...


class ValkeyTransport:
    """Makes sessions with the server of a URL. Channels begin with `bluestone:`, the number of the
    URL's database, and `arena`, so that several arenas may use one server.

    Raises ConfigurationError if the URL cannot be understood.
    """

    errors: tuple[type[Exception], ...] = (ValkeyError,)

    def __init__(self, url: str, arena: str, process_id: str) -> None:
        self._url = url
        try:
            options = cast("dict[str, Any]", parse_url(url))
            self.name = _shown(url)
        except ValueError:  # its text may have a part of the password
            raise ConfigurationError(f"cluster.bus: {UNREADABLE}") from None
        password = str(options.get("password", ""))
        for secret in (password, quote(password, safe="")):
            learn_secret(secret)
        self._prefix = f"bluestone:{options.get('db', 0)}:{arena}:"
        self._client_name = f"bluestone-arena-{process_id}"

    async def connect(self, topics: AbstractSet[str]) -> "ValkeySession":
        """See `Transport`."""
        pool = ConnectionPool.from_url(
            self._url,
            socket_timeout=SILENCE_S,
            socket_keepalive=True,
            client_name=self._client_name,
        )
        session = ValkeySession(pool, self._prefix)
        try:
            await session.begin(topics)
        except BaseException:
            await session.close()
            raise
        return session


class ValkeySession:
    """A connection that is subscribed, and one that publishes, both of one pool."""

    def __init__(self, pool: ConnectionPool, prefix: str) -> None:
        self._pool = pool
        self._client = Valkey(connection_pool=pool)
        self._subscriber = cast("_Subscriber", PubSub(pool))
        self._prefix = prefix
        self._asked: set[str] = set()
        self._confirmed: set[str] = set()
        self._news = asyncio.Event()

    async def begin(self, topics: AbstractSet[str]) -> None:
        """Connect, and subscribe; the server has confirmed it when this returns."""
        await cast("Awaitable[Any]", self._client.ping())
        await self._ask(topics)
        while not self._has(topics):
            await self._next(lambda _: None)

    async def receive(self, take: Callable[[Envelope], None]) -> None:
        """See `Session`."""
        ping = asyncio.create_task(self._ping())
        try:
            while not ping.done():
                await self._next(take)
            ping.result()
        finally:
            await end_all([ping])

    async def send(self, batch: Sequence[Envelope]) -> None:
        """See `Session`."""
        pipeline = self._client.pipeline(transaction=False)
        for envelope in batch:
            signed_by = f"{envelope.sender}.{envelope.mac}".encode()
            payload = b"%b %d %b" % (signed_by, envelope.number, envelope.message)
            for topic in envelope.topics:
                pipeline.publish(self._prefix + topic, payload)
        # The library's own text of an error has the whole message in it.
        for answer in await pipeline.execute(raise_on_error=False):
            if isinstance(answer, Exception):
                raise answer

    async def follow(self, topics: AbstractSet[str]) -> None:
        """See `Session`."""
        await self._ask(topics)
        while not self._has(topics):
            self._news.clear()
            await self._news.wait()

    async def close(self) -> None:
        """See `Session`."""
        try:
            await self._subscriber.aclose()
        finally:
            await self._pool.disconnect()

    async def _ask(self, topics: AbstractSet[str]) -> None:
        new, old = topics - self._asked, self._asked - topics
        self._asked = set(topics)
        self._confirmed -= new
        if new:
            await self._subscriber.subscribe(*(self._prefix + topic for topic in new))
        if old:
            await self._subscriber.unsubscribe(*(self._prefix + topic for topic in old))

    def _has(self, topics: AbstractSet[str]) -> bool:
        return topics <= self._confirmed

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_S)
            await self._subscriber.ping()

    async def _next(self, take: Callable[[Envelope], None]) -> None:
        """Wait for one message of the server. Raises TimeoutError of valkey if none comes."""
        found = await self._subscriber.handle_message(await self._subscriber.parse_response())
        match found:
            case {"type": "message", "channel": bytes(channel), "data": bytes(data)}:
                self._take(self._topic(channel), data, take)
            case {"type": "subscribe", "channel": bytes(channel)}:
                self._confirmed.add(self._topic(channel))
                self._news.set()
            case {"type": "unsubscribe", "channel": bytes(channel)}:
                self._confirmed.discard(self._topic(channel))
            case _:  # a pong
                pass

    def _topic(self, channel: bytes) -> str:
        return channel.decode(errors="replace").removeprefix(self._prefix)

    def _take(self, topic: str, data: bytes, take: Callable[[Envelope], None]) -> None:
        signed_by, _, rest = data.partition(b" ")
        sender, _, mac = signed_by.decode(errors="replace").partition(".")
        number, _, message = rest.partition(b" ")
        if number.isdigit() and len(number) < NUMBER:
            take(Envelope(sender, int(number), (topic,), message, mac))
        else:
            structlog.get_logger().warning("bus_message_unreadable", size=len(data))


def _shown(url: str) -> str:
    """The URL without user, password and options. Raises ValueError if it cannot be read."""
    parts = urlsplit(url)
    at = parts.netloc.rpartition("@")[2]
    if not parts.hostname or "@" in parts.path or (parts.port is None and ":" in at.strip("[]")):
        raise ValueError
    return f"{parts.scheme}://{at}{parts.path}"
