"""What the arena uses of python-socketio, python-engineio and aiohttp beyond their documentation.

`engine_io` and `socket_io` override private methods and call others. A new version of a library
may rename one without notice: then an override is never called. These tests fail first.
"""

import asyncio
import inspect
import zlib
from collections.abc import Callable
from typing import Any

import engineio
import pytest
import socketio
from aiohttp import web
from engineio import packet as engine_packet
from engineio.async_socket import AsyncSocket
from socketio import packet
from socketio.async_manager import AsyncManager

from bot.arena.edge.engine_io import EngineServer, Socket
from bot.arena.edge.socket_io import ArenaPacket, SocketServer, socket_server
from bot.arena.edge.tcp import HttpProtocol
from bot.arena.settings import ConnectionLimits

OVERRIDDEN = {
    Socket: (AsyncSocket, {"__init__", "send", "close", "schedule_ping"}),
    EngineServer: (engineio.AsyncServer, {"__init__", "shutdown", "_handle_connect"}),
    SocketServer: (
        socketio.AsyncServer,
        {"__init__", "_handle_event", "_engineio_server_class"},
    ),
    ArenaPacket: (packet.Packet, {"__init__", "decode"}),
    HttpProtocol: (
        web.RequestHandler,
        {"__init__", "connection_made", "connection_lost", "handle_error"},
    ),
}
"""Of each class of ours, the class of the library and the methods that it overrides."""

OF_OURS = {
    Socket: {"serve", "put", "go_away", "ping", "miss_pong", "give_up"},
    EngineServer: {"take"},
}
"""Methods that are called by our code alone: a library that gets one of that name would call it."""

OPTIONS_ALONE = {(EngineServer, "__init__"), (SocketServer, "__init__"), (HttpProtocol, "__init__")}
"""Overrides with parameters of their own; they call the library's by name."""

CALLED: list[tuple[Callable[..., Any], list[str]]] = [
    (engineio.AsyncServer._trigger_event, ["self", "event", "args", "kwargs"]),
    (engineio.AsyncServer.generate_id, ["self"]),
    (engineio.AsyncServer.shutdown, ["self"]),
    (engine_packet.Packet.encode, ["self", "b64"]),
    (socketio.AsyncServer.get_environ, ["self", "sid", "namespace"]),
    (socketio.AsyncServer.handle_request, ["self", "args", "kwargs"]),
    (socketio.AsyncServer.on, ["self", "event", "handler", "namespace"]),
    (socketio.AsyncServer.shutdown, ["self"]),
    (AsyncManager.disconnect, ["self", "sid", "namespace", "kwargs"]),
    (AsyncManager.is_connected, ["self", "sid", "namespace"]),
    (AsyncManager.sid_from_eio_sid, ["self", "eio_sid", "namespace"]),
    (AsyncManager.eio_sid_from_sid, ["self", "sid", "namespace"]),
]
"""Methods of the libraries that the arena calls, with their parameters."""


def parameters(method: Callable[..., Any]) -> list[tuple[str, object]]:
    """Names and defaults; `_`-prefixed names of unused parameters count as the names."""
    found = inspect.signature(method).parameters.values()
    return [(each.name.lstrip("_"), each.default) for each in found]


@pytest.mark.parametrize("ours", OVERRIDDEN, ids=lambda ours: ours.__name__)
def test_every_overridden_method_exists_with_the_same_parameters(ours: type) -> None:
    library, names = OVERRIDDEN[ours]
    shared = {name for name in vars(ours) if inspect.isfunction(vars(ours)[name])} & {*dir(library)}
    assert shared - {"__init__"} == names - {"__init__"}
    for name in names:
        if (ours, name) in OPTIONS_ALONE:
            continue
        assert parameters(getattr(ours, name)) == parameters(getattr(library, name)), name
        is_coroutine = inspect.iscoroutinefunction(getattr(library, name))
        assert inspect.iscoroutinefunction(getattr(ours, name)) == is_coroutine, name


@pytest.mark.parametrize("ours", OF_OURS, ids=lambda ours: ours.__name__)
def test_no_library_has_a_method_of_the_name_of_ours(ours: type) -> None:
    library, _ = OVERRIDDEN[ours]
    assert not OF_OURS[ours] & {*dir(library)}


@pytest.mark.parametrize(
    ("method", "names"), CALLED, ids=lambda each: getattr(each, "__name__", "")
)
def test_every_called_method_is_there(method: Callable[..., Any], names: list[str]) -> None:
    assert [*inspect.signature(method).parameters] == names


async def test_the_servers_have_the_attributes_that_the_arena_reads() -> None:
    server = socket_server(ConnectionLimits())
    engine = server.eio
    assert isinstance(engine, EngineServer)
    assert engine.handlers.keys() == {"connect", "message", "disconnect"}
    assert (engine.sockets, server.manager.server) == ({}, server)
    for name in ("ping_interval", "ping_timeout", "max_http_buffer_size"):
        assert getattr(engine, name) > 0
    assert engine.reason.TRANSPORT_CLOSE != engine.reason.SERVER_DISCONNECT
    socket = Socket(engine, "a socket")
    assert (socket.sid, socket.server) == ("a socket", engine)
    assert (socket.connected, socket.upgraded) == (False, False)
    assert (socket.closing, socket.closed) == (False, False)


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
async def test_a_compressed_message_is_read_around_a_ping(
    frames: bytes, unused_tcp_port: int
) -> None:
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
    await web.TCPSite(runner, "127.0.0.1", unused_tcp_port).start()
    reader, writer = await asyncio.open_connection("127.0.0.1", unused_tcp_port)
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
