"""Engine.IO over WebSocket, as a client sees it that knows only the protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from bot.arena.edge import engine_io
from bot.arena.edge.engine_io import (
    IN_A_ROW,
    EngineServer,
    FrameBudget,
    Pace,
    Pings,
    Socket,
    text_frame,
)
from bot.arena.edge.socket_io import SocketServer
from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.fakes.arena_client import connected
from tests.fakes.waiting import eventually


async def test_others_have_a_turn_between_the_frames_of_a_burst() -> None:
    budget, turns = FrameBudget(Pace(per_s=1, burst=10 * IN_A_ROW)), 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    for _ in range(10 * IN_A_ROW):
        await budget.take()
    task.cancel()
    assert turns >= 9


async def test_frames_above_the_pace_wait() -> None:
    budget, loop = FrameBudget(Pace(per_s=50, burst=5)), asyncio.get_running_loop()
    began = loop.time()
    for _ in range(10):
        await budget.take()
    assert loop.time() - began >= 5 / 50 - 0.001


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


INTERVAL_S, TIMEOUT_S = 0.04, 0.02


class Connection:
    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.pings = 0
        self.closed = False
        self.awaits_pong = False

    def ping(self) -> None:
        self.pings += 1
        if self.pings <= self.answers:
            asyncio.get_running_loop().call_soon(self._pong)

    def _pong(self) -> None:
        self.awaits_pong = False

    def miss_pong(self) -> None:
        self.closed = True


@pytest.mark.parametrize("answers", [0, 3])
async def test_the_first_ping_without_an_answer_is_the_last(answers: int) -> None:
    pings, connection = Pings(INTERVAL_S, TIMEOUT_S), Connection(answers)
    pings.add(connection)
    await eventually(lambda: connection.closed)
    assert connection.pings == answers + 1


async def test_many_are_pinged_at_one_moment() -> None:
    pings, both = Pings(INTERVAL_S, TIMEOUT_S), [Connection(10**6), Connection(10**6)]
    for connection in both:
        pings.add(connection)
    await eventually(lambda: both[0].pings == 3)
    assert both[1].pings == 3
    pings.stop()


async def test_a_closed_connection_is_forgotten() -> None:
    pings, connection, other = Pings(INTERVAL_S, TIMEOUT_S), Connection(1), Connection(3)
    pings.add(connection)
    pings.add(other)
    connection.closed = True
    await eventually(lambda: other.closed)
    assert connection.pings == 0


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


async def test_a_client_that_does_not_read_is_disconnected() -> None:
    pipe, server = FullPipe(), EngineServer(async_mode="aiohttp")
    socket = Socket(server, "1")
    socket._transport = pipe  # type: ignore[assignment]
    for _ in range(engine_io.MOST_WAITING_BYTES // 10_000 + 2):
        socket.put(b"x" * 10_000)
    assert pipe.is_aborted
    assert pipe.waiting <= engine_io.MOST_WAITING_BYTES + 10_000
    assert server.cut == {"unread": 1, "stalled": 0}


async def test_a_client_that_read_nothing_between_two_pings_is_disconnected() -> None:
    pipe, server = FullPipe(), EngineServer(async_mode="aiohttp")
    socket = Socket(server, "1")
    socket._transport = pipe  # type: ignore[assignment]
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
    pipe, server = FullPipe(), EngineServer(async_mode="aiohttp")
    socket = Socket(server, "1")
    socket._transport = pipe  # type: ignore[assignment]
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
    monkeypatch.setattr("bot.arena.edge.engine_io.web.WebSocketResponse", BrokenBefore)
    server = SocketServer(async_mode="aiohttp")  # type: ignore[no-untyped-call]
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
