"""A bus over LISTEN and NOTIFY of the arena's PostgreSQL database.

All processes listen to one channel, and each takes the messages of its topics: a channel for each
topic would need a statement for each subscription, and a NOTIFY to many channels a payload for
each. Two connections are needed, because psycopg holds the lock of a connection that listens.

A transaction that notifies takes a lock of the whole server when it commits. So all that waits is
sent in one statement, without waiting for the disk (`synchronous_commit`): nothing else of that
transaction has to survive.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeVar

import psycopg
import structlog

from bot.arena.cluster.bus import Envelope
from bot.arena.cluster.message_parts import Joiner, cut
from bot.arena.store.servers import ServerDriver
from bot.errors import HostError
from bot.runtime.tasks import OwnedTasks

CHECK_S: Final = 2.0
"""Seconds between two questions whether the connection that listens is alive."""
ANSWER_S: Final = 3.0
"""Seconds for the answer to a statement."""

_SCHEMA: Final = "SELECT hashtext(current_schema())"
_NOTIFY: Final = "SELECT count(pg_notify(%s, part)) FROM unnest(%s::text[]) AS part"

Raw = psycopg.AsyncConnection[tuple[Any, ...]]
T = TypeVar("T")


class PostgresTransport:
    """Makes sessions with the database of a driver."""

    errors: tuple[type[Exception], ...] = (psycopg.Error,)

    def __init__(self, driver: ServerDriver, process_id: str) -> None:
        self.name = driver.name
        self._parameters = driver.parameters(f"bluestone-arena bus {process_id}")

    async def connect(self, topics: AbstractSet[str]) -> "PostgresSession":  # noqa: ARG002
        """See `Transport`."""
        listening = await self._connection()
        try:
            channel = await self._channel(listening)
            await listening.execute(f"LISTEN {channel}".encode())
            notifying = await self._connection()
        except BaseException:
            await listening.close()
            raise
        return PostgresSession(listening, notifying, channel)

    async def _channel(self, connection: Raw) -> str:
        row = await (await connection.execute(_SCHEMA)).fetchone()
        if row is None or row[0] is None:
            raise HostError(f"{self.name}: there is no schema in its search_path")
        # By schema, because several arenas may use one database: see ARENA_LOCK.
        return f"bluestone_{row[0] & 0xFFFF_FFFF:08x}"

    async def _connection(self) -> Raw:
        connection = await Raw.connect(**self._parameters, autocommit=True)
        try:
            await connection.execute("SET synchronous_commit TO off")
        except BaseException:
            await connection.close()
            raise
        return connection


class PostgresSession:
    """A connection that listens, and one that notifies."""

    def __init__(self, listening: Raw, notifying: Raw, channel: str) -> None:
        self._listening = listening
        self._notifying = notifying
        self._channel = channel
        self._joiner = Joiner(lambda sender: sender not in self._own)
        self._own: set[str] = set()
        self._statements = OwnedTasks("bus_failed", expected=(psycopg.Error, OSError))

    async def receive(self, take: Callable[[Envelope], None]) -> None:
        """See `Session`."""
        while True:
            async for notification in self._listening.notifies(timeout=CHECK_S):
                self._take(notification.payload, take)
            # The system notices after minutes that the other end is gone without a word.
            await self._in_time(self._listening.execute("SELECT 1"))

    async def send(self, batch: Sequence[Envelope]) -> None:
        """See `Session`."""
        self._own.update(envelope.sender for envelope in batch)
        parts = [part for envelope in batch for part in cut(envelope)]
        await self._in_time(self._notifying.execute(_NOTIFY, (self._channel, parts)))

    async def follow(self, topics: AbstractSet[str]) -> None:
        """See `Session`. The bus chooses by topic what it takes."""

    async def close(self) -> None:
        """See `Session`."""
        await self._statements.cancel()
        await self._listening.close()
        await self._notifying.close()

    def _take(self, payload: str, take: Callable[[Envelope], None]) -> None:
        try:
            envelope = self._joiner.joined(payload)
        except ValueError:
            structlog.get_logger().warning("bus_message_unreadable", size=len(payload))
        else:
            if envelope is not None:
                take(envelope)

    async def _in_time(self, statement: Coroutine[Any, Any, T]) -> T:
        """Wait for a statement. Raises TimeoutError after some seconds.

        Does not wait until the statement is cancelled: over a dead connection, psycopg needs ten
        more seconds for that.
        """
        task = self._statements.create_task(statement)
        try:
            done, _ = await asyncio.wait((task,), timeout=ANSWER_S)
        finally:
            task.cancel()
        if not done:
            raise TimeoutError("the server does not answer")
        return task.result()
