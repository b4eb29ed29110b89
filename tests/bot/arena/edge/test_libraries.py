"""What the arena uses of aiohttp beyond its documentation.

`tcp` overrides methods of the web server. A new version of the library may rename one without
notice: then an override is never called. These tests fail first.
"""

import asyncio
import inspect
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from bot.arena.edge.tcp import HttpProtocol

OVERRIDDEN = {"connection_made", "connection_lost", "handle_error"}


def parameters(method: Callable[..., Any]) -> list[tuple[str, object]]:
    """Names and defaults; `_`-prefixed names of unused parameters count as the names."""
    found = inspect.signature(method).parameters.values()
    return [(each.name.lstrip("_"), each.default) for each in found]


def test_every_overridden_method_exists_with_the_same_parameters() -> None:
    ours, library = HttpProtocol, web.RequestHandler
    shared = {name for name in vars(ours) if inspect.isfunction(vars(ours)[name])} & {*dir(library)}
    assert shared - {"__init__"} == OVERRIDDEN
    for name in OVERRIDDEN:
        assert parameters(getattr(ours, name)) == parameters(getattr(library, name)), name
        is_coroutine = inspect.iscoroutinefunction(getattr(library, name))
        assert inspect.iscoroutinefunction(getattr(ours, name)) == is_coroutine, name


# ---- aiohttp: compressed messages and control frames ----------------------------------------

TEXT, CONTINUATION, PING = 1, 0, 9
FINAL, COMPRESSED, MASKED = 0x80, 0x40, 0x80


def frame(kind: int, payload: bytes, flags: int = FINAL) -> bytes:
    """A frame of a client, masked with zeros."""
    return bytes((flags | kind, MASKED | len(payload))) + bytes(4) + payload


def compressed(text: str) -> bytes:
    deflate = zlib.compressobj(wbits=-15)
    return (deflate.compress(text.encode()) + deflate.flush(zlib.Z_SYNC_FLUSH))[:-4]


HANDSHAKE = b"\r\n".join(
    [
        b"GET / HTTP/1.1",
        b"Host: localhost",
        b"Connection: Upgrade",
        b"Upgrade: websocket",
        b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        b"Sec-WebSocket-Extensions: permessage-deflate",
        b"\r\n",
    ]
)
HELLO = compressed("hello hello hello")


@pytest.mark.parametrize(
    "frames",
    [
        frame(PING, b"") + frame(TEXT, HELLO, FINAL | COMPRESSED),
        frame(TEXT, HELLO[:5], COMPRESSED) + frame(PING, b"") + frame(CONTINUATION, HELLO[5:]),
    ],
    ids=["after an early ping", "around a ping"],
)
async def test_a_compressed_message_is_read_around_a_ping(frames: bytes, held_port: int) -> None:
    """The first one fails with aiohttp 3.14.2 and 3.14.3, the second one up to 3.14.1."""
    received: asyncio.Queue[str] = asyncio.Queue()

    async def handle(request: web.Request) -> web.WebSocketResponse:
        websocket = web.WebSocketResponse(compress=True)
        await websocket.prepare(request)
        async for message in websocket:
            received.put_nowait(message.data)
        received.put_nowait(f"closed with {websocket.close_code}")
        return websocket

    app = web.Application()
    app.router.add_get("/", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", held_port).start()
    reader, writer = await asyncio.open_connection("127.0.0.1", held_port)
    try:
        writer.write(HANDSHAKE)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert b"permessage-deflate" in answer
        writer.write(frames)
        assert await asyncio.wait_for(received.get(), 5) == "hello hello hello"
    finally:
        writer.close()
        await writer.wait_closed()
        await runner.cleanup()
