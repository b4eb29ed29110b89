"""Every TCP connection from its acceptance on: how many there may be, and what each may take.

A connection waits for a request, is answered, or is a socket. Whoever makes the server wait, or
does not fetch an answer, has a deadline. Where there is no more room, the one that has been waiting
longest makes it: half a request a thousand times must not keep a whole one out.
"""

import asyncio
import math
from dataclasses import dataclass, field
from typing import Final

from bot.arena.net.addresses import Proxies, counted_as
from bot.arena.net.descriptors import Capacity
from bot.arena.net.quiet_log import QuietLog
from bot.arena.net.sweeper import Sweeper
from bot.arena.settings import ConnectionLimits

ANSWER_S: Final = 60.0
"""A whole answer has to be fetched within this; the page's largest file takes a second."""
PATIENCE_S: Final = 1.0
"""What is younger than this is not yet blamed for waiting."""


@dataclass(eq=False, slots=True)
class TcpConnection:
    """`since`: when it began what it does; `deadline`: when it must be done with that."""

    address: str
    since: float
    deadline: float
    transport: asyncio.Transport | None = None
    is_cut: bool = False

    def cut(self) -> None:
        """Close it at once; what has not been sent is lost."""
        self.is_cut = True
        if self.transport is not None:
            self.transport.abort()


@dataclass(slots=True)
class _Group:
    """The connections of one address; those that wait for a request, the longest first."""

    count: int = 0
    waiting: dict[TcpConnection, None] = field(default_factory=dict)


class TcpConnections:
    """The book of all connections; a proxy that is trusted may have any number of them."""

    def __init__(
        self,
        limits: ConnectionLimits,
        capacity: Capacity,
        proxies: Proxies,
        quiet_log: QuietLog,
        sweeper: Sweeper,
    ) -> None:
        self._limits = limits
        self._most = capacity.connections
        self._most_of_address = min(2 * limits.sockets_per_address, self._most // 2)
        self._proxies = proxies
        self._quiet_log = quiet_log
        self._sweeper = sweeper
        self._open: set[TcpConnection] = set()
        self._groups: dict[str, _Group] = {}
        self._waiting: dict[TcpConnection, None] = {}
        sweeper.add(self.sweep)

    @property
    def count(self) -> int:
        return len(self._open)

    def admit(self, peer: str) -> TcpConnection | None:
        """Note a connection that has just been accepted; None if there is no room for it."""
        address, now = counted_as(peer), self._sweeper.now()
        if not self._is_room_for(address, self._proxies.trusts(peer), now):
            self._quiet_log.note("connection_refused", address)
            return None
        connection = TcpConnection(address, now, now + self._limits.request_s)
        self._open.add(connection)
        self._groups.setdefault(address, _Group()).count += 1
        self._wait(connection)
        self._sweeper.wake()
        return connection

    def _is_room_for(self, address: str, is_proxy: bool, now: float) -> bool:
        group = self._groups.get(address)
        if not is_proxy and group is not None and group.count >= self._most_of_address:
            return self._make_room(group.waiting, now)
        return len(self._open) < self._most or self._make_room(self._waiting, now)

    def _make_room(self, waiting: dict[TcpConnection, None], now: float) -> bool:
        """Close the one that has been waiting longest, unless even that has only just begun."""
        oldest = next(iter(waiting), None)
        if oldest is None or now - oldest.since < PATIENCE_S:
            return False
        self._quiet_log.note("connection_cut_for_room", oldest.address)
        self._cut(oldest)
        return True

    def asked(self, connection: TcpConnection) -> None:
        """The head of a request has come."""
        self._stop_waiting(connection)
        self._begin(connection, ANSWER_S)

    def answered(self, connection: TcpConnection) -> None:
        """The answer has been sent, and another request may follow."""
        if connection in self._open:
            self._begin(connection, self._limits.keep_alive_s)
            self._wait(connection)
            self._sweeper.wake()

    def became_socket(self, connection: TcpConnection) -> None:
        """From now on others look after it."""
        self._begin(connection, math.inf)

    def remove(self, connection: TcpConnection) -> None:
        """It is closed; may be said more than once."""
        if connection not in self._open:
            return
        self._open.discard(connection)
        self._stop_waiting(connection)
        group = self._groups[connection.address]
        group.count -= 1
        if not group.count:
            del self._groups[connection.address]

    def sweep(self, now: float) -> bool:
        """Close whoever missed a deadline; whether anybody has one."""
        for connection in [each for each in self._open if each.deadline <= now]:
            self._cut(connection)
        return any(each.deadline < math.inf for each in self._open)

    def _cut(self, connection: TcpConnection) -> None:
        self.remove(connection)
        connection.cut()

    def _begin(self, connection: TcpConnection, allowed_s: float) -> None:
        connection.since = self._sweeper.now()
        connection.deadline = connection.since + allowed_s

    def _wait(self, connection: TcpConnection) -> None:
        self._waiting[connection] = None
        self._groups[connection.address].waiting[connection] = None

    def _stop_waiting(self, connection: TcpConnection) -> None:
        self._waiting.pop(connection, None)
        if connection.address in self._groups:
            self._groups[connection.address].waiting.pop(connection, None)
