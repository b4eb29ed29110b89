"""A limit for what all connections of one address leave unread.

Problem. Each connection may leave some output unread, because networks stall. An address with
hundreds of connections that read nothing makes the arena keep hundreds of times as much.

Idea. The event loop knows how much of each transport waits. The sum for an address is computed when
one of its connections is slow, when it sends a request, and once a second. While the sum is too
large, the connection with the most unread output is closed: those that read lose nothing.
"""

import asyncio
from typing import Final

from bot.runtime.throttled_log import ThrottledLog

RECHECK_S: Final = 0.05
"""The sum for an address is computed again after this time, since that takes a while itself."""


class UnreadOutput:
    """The transports of each address. `cut` counts the connections that were closed."""

    def __init__(self, most_bytes: int, throttled_log: ThrottledLog) -> None:
        self._most = most_bytes
        self._throttled_log = throttled_log
        self._address: dict[asyncio.WriteTransport, str] = {}
        self._transports: dict[str, dict[asyncio.WriteTransport, None]] = {}
        self._checked: dict[str, float] = {}
        self.cut = 0

    def add(self, address: str, transport: asyncio.WriteTransport) -> None:
        """Count a transport for this address, and for no other one any more."""
        self.remove(transport)
        self._address[transport] = address
        self._transports.setdefault(address, {})[transport] = None

    def remove(self, transport: asyncio.WriteTransport) -> None:
        address = self._address.pop(transport, None)
        if address is None:
            return
        del self._transports[address][transport]
        if not self._transports[address]:
            del self._transports[address]
            self._checked.pop(address, None)

    def check(self, transport: asyncio.WriteTransport) -> None:
        """Close connections of the same address if they leave too much unread."""
        address = self._address.get(transport)
        if address is None:
            return
        now = asyncio.get_running_loop().time()
        if now - self._checked.get(address, -RECHECK_S) >= RECHECK_S:
            self._checked[address] = now
            self._check_address(address)

    def sweep(self) -> None:
        """Check every address."""
        for address in list(self._transports):
            self._check_address(address)

    def _check_address(self, address: str) -> None:
        sizes = {each: each.get_write_buffer_size() for each in self._transports[address]}
        unread = sum(sizes.values())
        for transport in sorted(sizes, key=sizes.__getitem__, reverse=True):
            if unread <= self._most:
                return
            self._throttled_log.note("unread_output_cut", address, unread_bytes=unread)
            unread -= sizes[transport]
            self.cut += 1
            self.remove(transport)
            transport.abort()
