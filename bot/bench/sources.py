"""Where connections come from: many addresses of this machine, as many clients would have."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import aiohttp

CONNECTIONS_AN_ADDRESS: Final = 50
"""What a household, a school or a small company may look like to an arena."""


class Sources:
    """HTTP sessions bound to loopback addresses; make it with `open_sources`."""

    def __init__(self) -> None:
        self._sessions: dict[str | None, aiohttp.ClientSession] = {}

    def of_address(self, source: str | None) -> aiohttp.ClientSession:
        """The session whose connections come from that address; from any if it is None."""
        if source not in self._sessions:
            connector = aiohttp.TCPConnector(
                limit=0, local_addr=None if source is None else (source, 0)
            )
            self._sessions[source] = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._sessions[source]

    async def close(self) -> None:
        await asyncio.gather(*(session.close() for session in self._sessions.values()))


@asynccontextmanager
async def open_sources() -> AsyncIterator[Sources]:
    sources = Sources()
    try:
        yield sources
    finally:
        await sources.close()


def source_address(number: int, arena: str) -> str | None:
    """Where the client of that number comes from; None where an address cannot be chosen.

    On Linux all of 127.0.0.0/8 is this machine; elsewhere only 127.0.0.1 is.
    """
    if sys.platform != "linux" or not (urlsplit(arena).hostname or "").startswith("127."):
        return None
    place = number // CONNECTIONS_AN_ADDRESS
    return f"127.0.{place // 250}.{place % 250 + 1}"
