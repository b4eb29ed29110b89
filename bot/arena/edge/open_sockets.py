"""WebSockets as they are counted: how many may be open, and which ones are closed to make room."""

import asyncio
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from bot.arena.settings import ConnectionLimits
from bot.runtime.sweeper import Sweeper
from bot.runtime.throttled_log import ThrottledLog

HARDLY_ANY: Final = 2
"""Clients with fewer connections are newcomers: one may be broken without being noticed yet."""
REFUSALS_SHOWN: Final = 5
"""This many refused logins of one address per minute are logged one by one."""

SERVER_IS_FULL: Final = "The server has no room for more connections."
ONLY_NEWCOMERS: Final = "The server has room only for clients that are not connected yet."
TOO_MANY_OF_ADDRESS: Final = "There are too many connections from this address."


class NotAdmitted(Exception):
    """A refused handshake, with an HTTP status, a code and a sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(eq=False)
class OpenSocket:
    """One WebSocket.

    `connection` is Socket.IO's id while a player is logged in. `since` says since when none is.
    `is_asking` is true while credentials are looked up.
    """

    address: str
    transport: asyncio.Transport
    since: float
    connection: str | None = None
    is_asking: bool = False

    @property
    def is_broken(self) -> bool:
        """Whether the transport is closing."""
        return self.transport.is_closing()


class Sockets:
    """Counts WebSockets before they are accepted, and closes those that do not log in.

    A share of the room is kept for newcomers, so that addresses and players with many connections
    cannot take all of it.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        most: int,
        throttled_log: ThrottledLog,
        sweeper: Sweeper,
    ) -> None:
        self._limits = limits
        self._most = most
        self._most_for_all = most - int(most * limits.newcomers_share)
        self._throttled_log = throttled_log
        self._sweeper = sweeper
        self._open: set[OpenSocket] = set()
        self._of_address: Counter[str] = Counter()
        sweeper.add(self.sweep)

    @property
    def count(self) -> int:
        return len(self._open)

    @property
    def most(self) -> int:
        """How many may be open at once."""
        return self._most

    @property
    def address_count(self) -> int:
        return len(self._of_address)

    @contextmanager
    def opened(self, address: str, transport: asyncio.Transport) -> Iterator[OpenSocket]:
        """Count a socket while it is open. Raises NotAdmitted if there is no room."""
        refusal = self.refusal_of(address)
        if refusal is not None:
            self._throttled_log.note(
                "socket_refused", address, why=refusal.message, sockets=self.count
            )
            raise refusal
        socket = OpenSocket(address, transport, self._sweeper.now())
        self._open.add(socket)
        self._of_address[address] += 1
        self._sweeper.wake()
        try:
            yield socket
        finally:
            self._open.remove(socket)
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def is_closed_to(self, held: int) -> bool:
        """Return whether the remaining room is kept for clients with fewer connections
        than `held`.
        """
        return self.count >= self._most_for_all and held >= HARDLY_ANY

    def refusal_of(self, address: str) -> NotAdmitted | None:
        """Why the address may not open a socket now; None if it may."""
        held = self._of_address[address]
        if self.count >= self._most:
            return NotAdmitted(503, "too_many", SERVER_IS_FULL)
        if held >= self._limits.sockets_per_address:
            return NotAdmitted(429, "too_many", TOO_MANY_OF_ADDRESS)
        if self.is_closed_to(held):
            return NotAdmitted(503, "too_many", ONLY_NEWCOMERS)
        return None

    def logged_in(self, socket: OpenSocket, connection: str) -> None:
        socket.connection = connection

    def login_refused(self, socket: OpenSocket, code: str) -> None:
        """Log that credentials were refused, throttled per address."""
        self._throttled_log.note("login_refused", socket.address, lines=REFUSALS_SHOWN, code=code)

    def logged_out(self, socket: OpenSocket) -> None:
        """Note that no player is logged in any more; the client may log in again."""
        socket.connection = None
        socket.since = self._sweeper.now()
        self._sweeper.wake()

    def sweep(self, now: float) -> bool:
        """Close sockets without a login for too long; returns whether others may become due."""
        silent = [each for each in self._open if each.connection is None]
        for socket in silent:
            if now - socket.since >= self._limits.login_s and not socket.is_asking:
                self._throttled_log.note("socket_without_login", socket.address)
                socket.transport.abort()
                socket.since = math.inf
        # An aborted socket is removed when the task that reads it ends.
        return any(each.since < math.inf for each in silent)
