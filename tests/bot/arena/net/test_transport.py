"""Engine.IO over WebSocket, as a client sees it that knows only the protocol."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from bot.arena.net import transport
from bot.arena.net.socket_server import SocketServer
from bot.arena.net.transport import EngineServer, Socket, text_frame
from bot.arena.server import running_arena
from tests.bot.arena.table import settings

DEADLINE_S = 20


@asynccontextmanager
async def raw(url: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    address = f"{url}/socket.io/?EIO=4&transport=websocket"
    async with aiohttp.ClientSession() as http, http.ws_connect(address) as socket:
        yield socket


async def heard(socket: aiohttp.ClientWebSocketResponse) -> str:
    message = await socket.receive(timeout=DEADLINE_S)
    return str(message.data) if message.type is aiohttp.WSMsgType.TEXT else message.type.name


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 200_000])
async def test_frames_of_every_size_are_read_by_another_library(size: int) -> None:
    text = "é" * (size // 2) + "x" * (size % 2)

    async def answer(request: aiohttp.web.Request) -> aiohttp.web.WebSocketResponse:
        response = aiohttp.web.WebSocketResponse()
        await response.prepare(request)
        assert request.transport is not None
        request.transport.write(text_frame(text.encode()))
        await response.receive()
        return response

    app = aiohttp.web.Application()
    app.router.add_get("/", answer)
    runner = aiohttp.web.AppRunner(app)
    await runner.setup()
    try:
        site = aiohttp.web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        async with (
            aiohttp.ClientSession() as http,
            http.ws_connect(f"http://{host}:{port}/", max_msg_size=0) as socket,
        ):
            assert await heard(socket) == text
    finally:
        await runner.cleanup()


async def test_a_connection_begins_with_its_terms(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, raw(url) as socket:
        hello = await heard(socket)
    assert hello.startswith('0{"sid":"')
    assert '"pingInterval":5000,"pingTimeout":5000' in hello


async def test_who_answers_pings_stays_and_who_does_not_is_let_go(tmp_path: Path) -> None:
    quick = settings(tmp_path, connections={"ping_interval_s": 0.05, "ping_timeout_s": 0.2})
    async with running_arena(quick) as url, raw(url) as socket:
        await heard(socket)
        for _ in range(5):
            assert await heard(socket) == "2"
            await socket.send_str("3")
        assert await heard(socket) == "2"
        assert await heard(socket) in {"CLOSED", "CLOSE", "CLOSING", "ERROR"}


class FullPipe:
    """A transport whose other end does not read."""

    def __init__(self) -> None:
        self.waiting = 0
        self.is_aborted = False

    def write(self, data: bytes) -> None:
        assert not self.is_aborted
        self.waiting += len(data)

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True


async def test_who_does_not_read_is_cut_off() -> None:
    pipe = FullPipe()
    socket = Socket(EngineServer(async_mode="aiohttp"), "1")
    socket._transport = pipe  # type: ignore[assignment]
    for _ in range(transport.MOST_WAITING_BYTES // 10_000 + 2):
        socket.put(b"x" * 10_000)
    assert pipe.is_aborted
    assert pipe.waiting <= transport.MOST_WAITING_BYTES + 10_000


async def test_binary_messages_end_the_connection(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, raw(url) as socket:
        await heard(socket)
        await socket.send_bytes(b"\x04")
        assert await heard(socket) in {"CLOSED", "CLOSE", "CLOSING"}


class BrokenBefore(web.WebSocketResponse):
    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:  # noqa: ARG002
        raise ConnectionResetError("Cannot write to closing transport")


async def test_a_connection_that_breaks_in_the_handshake_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.arena.net.transport.web.WebSocketResponse", BrokenBefore)
    server = SocketServer(async_mode="aiohttp")
    environ = {"aiohttp.request": object()}
    # The web server knows what that means; a response that does not stand would be a bug to it.
    with pytest.raises(ConnectionResetError):
        await server.eio._handle_connect(environ, "websocket")
    assert (server.environ, server.eio.sockets) == ({}, {})


async def test_a_goodbye_ends_the_connection(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, raw(url) as socket:
        await heard(socket)
        await socket.send_str('40{"v":1}')
        assert (await heard(socket)).startswith("40")
        await socket.send_str("41")
        while (last := await heard(socket)).startswith("4"):
            pass
        assert last in {"CLOSE", "CLOSED", "CLOSING"}
