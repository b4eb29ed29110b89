"""TCP connections that waste the arena's time, and those that do not."""

import asyncio
import errno
import json
import logging
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from bot.arena.edge.descriptors import DescriptorLimits
from bot.arena.edge.tcp import Listener, TcpConnections
from bot.arena.http.addresses import Proxies
from bot.arena.server import running_arena
from bot.arena.settings import ConnectionLimits
from bot.arena.web import page_bundle
from bot.runtime.listening import address_of
from bot.runtime.throttled_log import ThrottledLog
from tests.bot.arena.table import settings
from tests.fakes.raw_socket import HANDSHAKE, PATH, http_from
from tests.fakes.sweeper import FakeSweeper
from tests.fakes.time import FakeTime
from tests.fakes.waiting import answered, eventually

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
LIMITS = {"sockets_per_address": 2}
PER_ADDRESS = 4


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
async def url(tmp_path: Path, time: FakeTime) -> AsyncIterator[str]:
    async with running_arena(settings(tmp_path, connections=LIMITS), time) as address:
        yield address


class Wire:
    """A TCP connection, for what no HTTP client would send."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, request: bytes = HEALTH) -> int:
        """The status of the answer, read to its end."""
        self.writer.write(request)
        async with asyncio.timeout(20):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            await self.reader.readexactly(length)
        return int(head.split()[1])

    async def is_closed(self) -> bool:
        """Whether the server closes it, within a generous time."""
        try:
            async with asyncio.timeout(20):
                return await self.reader.read() == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.writer.transport.abort()


@asynccontextmanager
async def wires(url: str, count: int, source: str = "127.0.0.1") -> AsyncIterator[list[Wire]]:
    address, opened = urlsplit(url), []
    try:
        for _ in range(count):
            streams = await asyncio.open_connection(
                address.hostname, address.port, local_addr=(source, 0)
            )
            opened.append(Wire(*streams))
        yield opened
    finally:
        for each in opened:
            each.close()


async def accepted(url: str, count: int) -> None:
    """Return once the arena knows of so many connections; the one that asks counts."""
    async with http_from("127.0.0.9") as http:
        while True:
            async with http.get(f"{url}/healthz") as response:
                if (await response.json())["connections"] == count + 1:
                    return


async def test_a_silent_connection_is_closed(url: str, time: FakeTime) -> None:
    async with wires(url, 1) as [silent]:
        await accepted(url, 1)
        await time.advance(12)
        assert await silent.is_closed()


async def test_a_head_that_comes_in_drops_is_not_waited_for(url: str, time: FakeTime) -> None:
    async with wires(url, 1) as [dripping]:
        await accepted(url, 1)
        dripping.writer.write(b"GET / HTTP/1.1\r\nHo")
        await time.advance(6)
        dripping.writer.write(b"st: x\r\nX-Header: ")
        await time.advance(6)
        assert await dripping.is_closed()


async def test_a_body_that_does_not_come_is_not_waited_for(url: str, time: FakeTime) -> None:
    request = b"POST /api/none HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{"
    async with wires(url, 1) as [dripping]:
        assert await dripping.ask(request) in {404, 405}
        await time.advance(17)
        assert await dripping.is_closed()


async def test_a_compressed_body_is_not_expanded(url: str) -> None:
    head = b"POST /api/none HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\n"
    async with wires(url, 1) as [wire]:
        assert await wire.ask(head + b"Content-Length: 8\r\n\r\nnot gzip") in {404, 405}
        assert await wire.ask() == 200  # with an attempt to expand it, the connection has ended


async def test_a_connection_may_ask_again_for_a_while(url: str, time: FakeTime) -> None:
    async with wires(url, 1) as [wire]:
        for _ in range(3):
            assert await wire.ask() == 200
            await time.advance(12)
        assert await wire.ask() == 200
        await time.advance(17)
        assert await wire.is_closed()


async def test_an_answer_that_is_not_fetched_is_given_up(
    url: str, time: FakeTime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_bundle, "FOLDER", tmp_path)
    (tmp_path / "large.js").write_bytes(bytes(32_000_000))
    async with wires(url, 1) as [wire]:
        wire.writer.transport.pause_reading()  # type: ignore[attr-defined]
        wire.writer.write(b"GET /large.js HTTP/1.1\r\nHost: x\r\n\r\n")
        # The first bytes of an answer show that the request has been read.
        peek = wire.writer.get_extra_info("socket")
        await eventually(lambda: _has_bytes(peek))
        await time.advance(62)
        wire.writer.transport.resume_reading()  # type: ignore[attr-defined]
        received = 0
        try:
            while data := await wire.reader.read(1 << 20):
                received += len(data)
        except ConnectionResetError:
            pass
    assert received < 32_000_000


def _has_bytes(sock: socket.socket) -> bool:
    raw = socket.fromfd(sock.fileno(), sock.family, sock.type)
    with raw:
        try:
            return bool(raw.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return False


async def test_past_its_limit_an_address_is_cut_off_at_once_and_others_are_not(
    url: str, time: FakeTime
) -> None:
    with capture_logs() as lines:
        async with wires(url, PER_ADDRESS), wires(url, 3) as surplus:
            for each in surplus:
                assert await each.is_closed()
            async with wires(url, 1, source="127.0.0.2") as [other]:
                assert await other.ask() == 200
        await time.advance(62)
    refused = [line for line in lines if line["event"] == "connection_refused"]
    assert [line.get("more") for line in refused] == [None, 2]


async def test_incomplete_requests_make_room_for_complete_ones(url: str, time: FakeTime) -> None:
    async with wires(url, PER_ADDRESS) as halves:
        for half in halves:
            half.writer.write(HEALTH[:-5])
        await accepted(url, PER_ADDRESS)
        await time.advance(1.5)
        async with wires(url, 1) as [whole]:
            assert await whole.ask() == 200
        assert await halves[0].is_closed()


async def test_a_trusted_proxy_has_no_limit_of_its_own(tmp_path: Path) -> None:
    trusting = settings(tmp_path, connections=LIMITS, trusted_proxies=["127.0.0.1"])
    async with running_arena(trusting) as url, wires(url, 5 * PER_ADDRESS) as all_of_them:
        for each in all_of_them:
            assert await each.ask() == 200


async def test_malformed_requests_are_refused_without_filling_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), capture_logs() as lines:
        async with running_arena(settings(tmp_path)) as url, wires(url, 20) as talkers:
            for each in talkers:
                assert await each.ask(b"GET / HTTP/1.1\r\nbad header\r\n\r\n") == 400
                assert await each.is_closed()
    noted = [line for line in lines if line["event"] == "malformed_request"]
    assert [line.get("more") for line in noted] == [None, 19]
    assert caplog.records == []


def leave_in_a_handshake(url: str) -> None:
    """Ask for a WebSocket, and reset the connection before the answer."""
    address = urlsplit(url)
    head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "x", **HANDSHAKE}.items())
    with socket.create_connection((address.hostname, address.port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.sendall(f"GET {PATH} HTTP/1.1\r\n{head}\r\n".encode())


async def test_a_client_that_leaves_during_the_handshake_leaves_no_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        async with running_arena(settings(tmp_path)) as url:
            for _ in range(5):
                for _ in range(20):  # the arena reads none of them before it can see the reset
                    leave_in_a_handshake(url)
                await accepted(url, 0)
    assert caplog.records == []


# ---- a small limit of descriptors ----


class Exhausted(socket.socket):
    """A listening socket of a process that has no descriptor left, so many times."""

    failures = 0

    def accept(self) -> tuple[socket.socket, Any]:
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


async def test_without_a_free_descriptor_a_connection_is_closed_and_the_next_one_served() -> None:
    listening = Exhausted()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    listening.setblocking(False)
    sweeper = FakeSweeper(FakeTime())
    throttled_log = ThrottledLog(sweeper)
    book = TcpConnections(
        ConnectionLimits(), DescriptorLimits(10, 5), Proxies([]), throttled_log, sweeper
    )
    listener = Listener(listening, book, lambda _: asyncio.Protocol(), throttled_log)
    listener.start()
    listening.failures = 1
    with capture_logs() as lines:
        async with wires(address_of(listening), 1) as [unlucky]:
            assert await unlucky.is_closed()
        async with wires(address_of(listening), 1):
            await eventually(lambda: book.count == 1)
        await listener.close()
    assert [line["event"] for line in lines] == ["accept_failed"]


def low_limit() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


@asynccontextmanager
async def arena_process(data: Path, log: Path) -> AsyncIterator[str]:
    """`bluestone arena` with 256 descriptors, as its address; ended as an operator would."""
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "arena", "--port", "0", "--data", str(data)),
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            preexec_fn=low_limit,
            env={**os.environ, "BLUESTONE_ARENA_CONNECTIONS__REQUEST_S": "30"},
        )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        await process.communicate()


@pytest.mark.e2e
async def test_half_requests_do_not_lock_a_server_with_few_descriptors(tmp_path: Path) -> None:
    log = tmp_path / "arena.log"
    async with arena_process(tmp_path / "data", log) as url, wires(url, 300) as halves:
        for half in halves:
            half.writer.write(HEALTH[:-5])
        async with http_from("127.0.0.2") as http, http.get(f"{url}/healthz") as response:
            health = await response.json()
        assert health["descriptors"]["limit"] == 256
        assert health["descriptors"]["open"] < 200
        # From the same address too, as soon as the half requests are a second old.
        await answered(lambda: _is_served(url), bool)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["event"] for line in lines].count("few_descriptors") == 1
    assert len(lines) < 10


async def _is_served(url: str) -> bool:
    async with wires(url, 1) as [wire]:
        try:
            return await wire.ask() == 200
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return False
