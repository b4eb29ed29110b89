"""Source addresses of connections: many addresses of this machine, as many clients would have."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import aiohttp

CONNECTIONS_AN_ADDRESS: Final = 50
"""Connections behind one address, such as that of a family, a school or a small company."""

Source = str | None
"""An address of this machine; with None the system chooses."""


class SourceAddresses:
    """HTTP sessions bound to addresses; make it with `open_sources`."""

    def __init__(self) -> None:
        self._sessions: dict[Source, aiohttp.ClientSession] = {}

    def session(self, source: Source) -> aiohttp.ClientSession:
        """Return the session whose connections come from that address."""
        if source not in self._sessions:
            connector = aiohttp.TCPConnector(
                limit=0, local_addr=None if source is None else (source, 0)
            )
            self._sessions[source] = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._sessions[source]

    def sessions(self, sources: Sequence[Source], count: int) -> list[aiohttp.ClientSession]:
        """Return a session for each of `count` connections, spread evenly over the addresses."""
        return [self.session(sources[number % len(sources)]) for number in range(count)]

    async def close(self) -> None:
        await asyncio.gather(*(session.close() for session in self._sessions.values()))


@asynccontextmanager
async def open_sources() -> AsyncIterator[SourceAddresses]:
    sources = SourceAddresses()
    try:
        yield sources
    finally:
        await sources.close()


class AddressBook:
    """Hands out each address of this machine once.

    On Linux all of 127.0.0.0/8 is this machine; elsewhere only 127.0.0.1 is, and all get that one.
    """

    def __init__(self, arena: str) -> None:
        self._is_local = (urlsplit(arena).hostname or "").startswith("127.")
        self._used = 0

    def take(self, count: int) -> list[Source]:
        if sys.platform != "linux" or not self._is_local:
            return [None]
        first, self._used = self._used, self._used + count
        return [f"127.0.{place // 250}.{place % 250 + 1}" for place in range(first, self._used)]

    def take_for(self, connections: int) -> list[Source]:
        """Return as many addresses as this number of ordinary clients would have."""
        return self.take(-(-connections // CONNECTIONS_AN_ADDRESS))
