"""Requests for a socket, and sockets, without a Socket.IO client that would behave."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import orjson

from bot.runtime.tasks import cancelled
from tests.fakes.waiting import answered

PATH = "/socket.io/?EIO=4&transport=websocket"
HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@asynccontextmanager
async def http_from(source: str) -> AsyncIterator[aiohttp.ClientSession]:
    """HTTP from another address of this machine, such as 127.0.0.2."""
    connector = aiohttp.TCPConnector(local_addr=(source, 0))
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session


async def knock(
    url: str, headers: Mapping[str, str] | None = None, source: str = "127.0.0.1"
) -> tuple[int, dict[str, Any]]:
    """Ask for a socket and leave: the status, and what a refusal says."""
    async with (
        http_from(source) as http,
        http.get(url + PATH, headers={**HANDSHAKE, **(headers or {})}) as response,
    ):
        if response.status == 101:
            return 101, {}
        return response.status, await response.json()


class RawSocket:
    """A WebSocket that has been opened, and says nothing by itself."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def log_in(self, **auth: Any) -> str:
        """What is answered to Socket.IO's CONNECT: a text that begins with 40, or with 44."""
        await self.send(f"40{orjson.dumps({'v': 1, **auth}).decode()}")
        return await self.receive("4")

    async def send(self, text: str) -> None:
        await self._socket.send_str(text)

    async def receive(self, beginning: str) -> str:
        """The next packet that begins so; pings are answered meanwhile."""
        while not (text := await self._socket.receive_str(timeout=20)).startswith(beginning):
            await self._answer_ping(text)
        return text

    async def until_closed(self) -> None:
        """Answer pings until the server ends it."""
        async for message in self._socket:
            await self._answer_ping(message.data)

    @asynccontextmanager
    async def kept_open(self) -> AsyncIterator[None]:
        """Answer pings, and drop all else that comes, within the block."""
        answering = asyncio.create_task(self.until_closed())
        try:
            yield
        finally:
            await cancelled(answering)

    async def _answer_ping(self, text: str) -> None:
        if text == "2":
            await self.send("3")

    def cut(self) -> None:
        """End the TCP connection without a goodbye."""
        response = self._socket._response
        assert response.connection is not None
        assert response.connection.transport is not None
        response.connection.transport.abort()


@asynccontextmanager
async def raw_socket(
    url: str, headers: Mapping[str, str] | None = None, source: str = "127.0.0.1"
) -> AsyncIterator[RawSocket]:
    """An open WebSocket that has not logged in."""
    async with (
        http_from(source) as http,
        http.ws_connect(url + PATH, headers=headers) as socket,
    ):
        raw = RawSocket(socket)
        await raw.receive("0")
        yield raw


async def health(url: str) -> dict[str, Any]:
    """What the arena says of itself, asked from an address that nobody else uses."""
    async with http_from("127.0.0.99") as http, http.get(f"{url}/healthz") as response:
        facts: dict[str, Any] = await response.json()
        return facts


async def sockets_become(url: str, count: int) -> None:
    """Return once the arena has so many sockets."""
    await answered(lambda: health(url), lambda facts: facts["sockets"] == count)


async def connections_become(url: str, count: int) -> None:
    """Return once the arena has so many TCP connections, beside the one that asks."""
    await answered(lambda: health(url), lambda facts: facts["connections"] == count + 1)
