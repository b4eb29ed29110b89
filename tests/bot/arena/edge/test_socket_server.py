"""Socket.IO over WebSocket, as a client sees it that knows only the protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.test_utils import make_mocked_request

from bot.arena.edge import socket_server
from bot.arena.edge.open_sockets import OpenSocket
from bot.arena.edge.packets import text_frame
from bot.arena.edge.socket_server import Socket, SocketServer
from bot.arena.server import running_arena
from bot.arena.settings import ConnectionLimits
from tests.bot.arena.table import settings
from tests.fakes.arena_client import connected


@pytest.mark.parametrize("frame", ["3", "6", "41/foo,", '42["state",{"v":1}]', '421["x",{}]', ""])
async def test_a_flood_before_the_login_is_hardly_read(tmp_path: Path, frame: str) -> None:
    """Thousands of frames are not handled: the answer to the login behind them does not come."""
    address = "/socket.io/?EIO=4&transport=websocket"
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession(url) as http,
        http.ws_connect(address, timeout=aiohttp.ClientWSTimeout(ws_close=0.1)) as socket,
    ):
        await socket.receive(timeout=20)
        for _ in range(2000):
            await (socket.ping() if frame == "" else socket.send_str(frame))
        await socket.send_str('40{"v":1}')
        async with connected(url) as honest:
            assert (await honest.ask("state"))["ok"]
        heard = [each for each in _waiting(socket) if "sid" in each]
        assert heard == []


def _waiting(socket: aiohttp.ClientWebSocketResponse) -> list[str]:
    """What has come and was not looked at."""
    return [str(message.data) for message, _ in socket._reader._buffer]


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


async def test_clients_that_answer_pings_stay_and_others_are_disconnected(tmp_path: Path) -> None:
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


def admitted(pipe: FullPipe) -> OpenSocket:
    return OpenSocket("192.0.2.1", cast("asyncio.Transport", pipe), 0.0)


async def test_a_client_that_does_not_read_is_disconnected() -> None:
    pipe, server = FullPipe(), SocketServer(ConnectionLimits())
    socket = Socket(server, admitted(pipe))
    for _ in range(socket_server.MOST_WAITING_BYTES // 10_000 + 2):
        socket.put(b"x" * 10_000)
    assert pipe.is_aborted
    assert pipe.waiting <= socket_server.MOST_WAITING_BYTES + 10_000
    assert server.cut == {"unread": 1, "stalled": 0}


async def test_a_client_that_read_nothing_between_two_pings_is_disconnected() -> None:
    pipe, server = FullPipe(), SocketServer(ConnectionLimits())
    socket = Socket(server, admitted(pipe))
    socket.put(b"x" * 10_000)
    was_aborted = []
    for _ in range(2):
        socket.ping()
        was_aborted.append(pipe.is_aborted)
    assert was_aborted == [False, True]
    assert server.cut == {"unread": 0, "stalled": 1}


@pytest.mark.parametrize(("unread", "stalled"), [(0, 0), (1, 1)])
async def test_a_client_without_a_pong_counts_if_it_did_not_read(unread: int, stalled: int) -> None:
    """A client that reads nothing cannot see the ping. Others are lost with their network."""
    pipe, server = FullPipe(), SocketServer(ConnectionLimits())
    socket = Socket(server, admitted(pipe))
    pipe.waiting = unread
    socket.miss_pong()
    assert pipe.is_aborted
    assert server.cut == {"unread": 0, "stalled": stalled}


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
    monkeypatch.setattr("bot.arena.edge.socket_server.web.WebSocketResponse", BrokenBefore)
    server = SocketServer(ConnectionLimits())
    request = make_mocked_request("GET", "/socket.io/")
    # The web server knows what that means; a response that does not stand would be a bug to it.
    with pytest.raises(ConnectionResetError):
        await server.serve(request, admitted(FullPipe()))
    assert len(server) == 0


async def test_a_goodbye_ends_the_connection(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, raw(url) as socket:
        await heard(socket)
        await socket.send_str('40{"v":1}')
        assert (await heard(socket)).startswith("40")
        await socket.send_str("41")
        while (last := await heard(socket)).startswith("4"):
            pass
        assert last in {"CLOSE", "CLOSED", "CLOSING"}


async def test_another_namespace_is_refused_and_the_arena_still_lets_in(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, raw(url) as socket:
        await heard(socket)
        await socket.send_str('40/admin,{"v":1}')
        assert await heard(socket) == '44/admin,"Unable to connect"'
        await socket.send_str('42/admin,1["state",{"v":1}]')
        await socket.send_str('40{"v":1}')
        assert (await heard(socket)).startswith('40{"sid":"')


@pytest.mark.parametrize("again", ['40{"v":1}', '40{"v":1,"token":"x"}', "40"])
async def test_a_second_login_changes_nothing(tmp_path: Path, again: str) -> None:
    async with running_arena(settings(tmp_path)) as url, raw(url) as socket:
        await heard(socket)
        await socket.send_str('40{"v":1}')
        await socket.send_str(again)
        await socket.send_str('427["state",{"v":1}]')
        answers = list[str]()
        while not (answers and answers[-1].startswith("437")):
            answers.append(await heard(socket))
    assert [each for each in answers if each.startswith(("40", "44"))] == answers[:1]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("EIO=3&transport=websocket", "wrong_version"),
        ("transport=websocket", "wrong_version"),
        ("EIO=4&transport=polling", "websocket_only"),
        ("EIO=4", "websocket_only"),
        ("EIO=4&transport=websocket&sid=abc", "websocket_only"),
    ],
)
async def test_other_versions_and_transports_are_refused(
    tmp_path: Path, query: str, code: str
) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession() as http,
        http.get(f"{url}/socket.io/?{query}", headers=upgrade) as response,
    ):
        assert response.status == 400
        assert (await response.json())["code"] == code
