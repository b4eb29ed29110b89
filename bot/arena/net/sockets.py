"""WebSockets from the request for one to its end: how many there may be, and who has logged in."""

import asyncio
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from bot.arena.net.quiet_log import QuietLog
from bot.arena.net.sweeper import Sweeper
from bot.arena.settings import ConnectionLimits

HARDLY_ANY: Final = 2
"""A connection, and one that broke and is not noticed yet; who has fewer than that is new."""
REFUSALS_SHOWN: Final = 5
"""So many refused logins of an address a minute make a line each."""

SERVER_IS_FULL: Final = "The server has no room for more connections."
ONLY_NEWCOMERS: Final = "The server has room only for those who are not connected yet."
TOO_MANY_OF_ADDRESS: Final = "There are too many connections from this address."


class NotAdmitted(Exception):
    """A request for a socket that is refused, with an HTTP status, a code and a sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(eq=False)
class OpenSocket:
    """One WebSocket; `since`: from when on nobody is logged in over it.

    `connection` is Socket.IO's name for it while somebody is, `is_asking` while credentials are
    looked up.
    """

    address: str
    transport: asyncio.Transport
    since: float
    connection: str | None = None
    is_asking: bool = False

    @property
    def is_broken(self) -> bool:
        """Whether nothing can be sent any more."""
        return self.transport.is_closing()


class Sockets:
    """Counts sockets before they are accepted, and closes those that do not log in.

    A share of the room is kept for addresses and players who have hardly any connection yet, so
    that those who have many cannot take it all.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        most: int,
        quiet_log: QuietLog,
        sweeper: Sweeper,
    ) -> None:
        self._limits = limits
        self._most = most
        self._most_for_all = most - int(most * limits.newcomers_share)
        self._quiet_log = quiet_log
        self._sweeper = sweeper
        self._open: dict[object, OpenSocket] = {}
        self._of_address: Counter[str] = Counter()
        sweeper.add(self.sweep)

    @property
    def count(self) -> int:
        return len(self._open)

    @property
    def address_count(self) -> int:
        return len(self._of_address)

    @contextmanager
    def opened(
        self, key: object, address: str, transport: asyncio.Transport
    ) -> Iterator[OpenSocket]:
        """A socket for as long as it lasts, found by `key`; NotAdmitted if there is no room."""
        self._check_room(address)
        socket = self._open[key] = OpenSocket(address, transport, self._sweeper.now())
        self._of_address[address] += 1
        self._sweeper.wake()
        try:
            yield socket
        finally:
            del self._open[key]
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def find(self, key: object) -> OpenSocket | None:
        return self._open.get(key)

    def is_closed_to(self, held: int) -> bool:
        """Whether what room there is is kept for who has fewer connections than that."""
        return self.count >= self._most_for_all and held >= HARDLY_ANY

    def _check_room(self, address: str) -> None:
        held = self._of_address[address]
        if self.count >= self._most:
            refusal = NotAdmitted(503, "too_many", SERVER_IS_FULL)
        elif held >= self._limits.sockets_per_address:
            refusal = NotAdmitted(429, "too_many", TOO_MANY_OF_ADDRESS)
        elif self.is_closed_to(held):
            refusal = NotAdmitted(503, "too_many", ONLY_NEWCOMERS)
        else:
            return
        self._quiet_log.note("socket_refused", address, why=refusal.message, sockets=self.count)
        raise refusal

    def logged_in(self, socket: OpenSocket, connection: str) -> None:
        socket.connection = connection

    def not_let_in(self, socket: OpenSocket, code: str) -> None:
        """Credentials that came over a socket are refused; strangers do not fill the log."""
        self._quiet_log.note("not_let_in", socket.address, lines=REFUSALS_SHOWN, code=code)

    def logged_out(self, socket: OpenSocket) -> None:
        """Nobody is logged in any more; the socket may be used to log in again."""
        socket.connection = None
        socket.since = self._sweeper.now()
        self._sweeper.wake()

    def sweep(self, now: float) -> bool:
        """Close whoever has not asked to log in for too long; whether anybody still may."""
        silent = [each for each in self._open.values() if each.connection is None]
        for socket in silent:
            if now - socket.since >= self._limits.login_s and not socket.is_asking:
                self._quiet_log.note("socket_without_login", socket.address)
                socket.transport.abort()
                socket.since = math.inf
        # One that is closed is gone when the task that reads it has ended, which nobody times.
        return any(each.since < math.inf for each in silent)
