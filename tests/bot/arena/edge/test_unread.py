"""What the connections of one address leave unread together is limited, over real sockets."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from bot.arena.edge.unread import UnreadOutput
from bot.arena.server import running_arena
from bot.runtime.listening import bound
from bot.runtime.throttled_log import ThrottledLog
from tests.bot.arena.table import settings
from tests.fakes.raw_socket import health, http_from, raw_socket
from tests.fakes.sweeper import FakeSweeper
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

SMALL: Final = 8192
"""Bytes that the kernel keeps for a client that does not read."""


@contextmanager
def greedy(url: str, path: str, source: str) -> Iterator[socket.socket]:
    """A client that asks for a document and reads nothing."""
    parts = urlsplit(url)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        client.bind((source, 0))
        client.connect((parts.hostname, parts.port))
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        yield client


@contextmanager
def small_buffers(host: str, port: int, **options: bool) -> Iterator[socket.socket]:
    """As `bound`, but the kernel keeps little of what a client has not read."""
    with bound(host, port, **options) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)
        yield listening


async def test_connections_that_read_nothing_are_closed_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.server.bound", small_buffers)
    limits = {"unread_bytes_per_address": 400_000}
    path = "/api/boards/bluestone"
    running = running_arena(settings(tmp_path, connections=limits))
    async with running as url:
        with ExitStack() as clients, capture_logs() as lines:
            for _ in range(40):
                clients.enter_context(greedy(url, path, "127.0.0.2"))
            await eventually(lambda: any(each["event"] == "unread_output_cut" for each in lines))
        assert {each["address"] for each in lines if each["event"] == "unread_output_cut"} == {
            "127.0.0.2"
        }
        assert (await health(url))["cut_for_unread_output"] > 0
        async with http_from("127.0.0.1") as http, http.get(f"{url}/metrics") as page:
            metric = 'bluestone_arena_slow_consumers_total{cause="address"} '
            [cut] = [line for line in (await page.text()).splitlines() if line.startswith(metric)]
        assert float(cut.removeprefix(metric)) > 0
        async with http_from("127.0.0.3") as http, http.get(url + path) as response:
            assert (response.status, len(await response.json())) == (200, 1)


@asynccontextmanager
async def pipes(count: int) -> AsyncIterator[list[asyncio.Transport]]:
    """The server's ends of connections whose other ends read nothing."""
    async with AsyncExitStack() as stack:
        opened = []
        for _ in range(count):
            ours, theirs = socket.socketpair()
            stack.callback(theirs.close)
            transport, _ = await asyncio.get_running_loop().create_connection(
                asyncio.Protocol, sock=ours
            )
            stack.callback(transport.abort)
            transport.write(bytes(1_000_000))
            opened.append(transport)
        yield opened


async def test_the_connection_with_the_most_unread_output_is_closed_first() -> None:
    async with pipes(3) as (first, worst, other):
        worst.write(bytes(500_000))
        most = sum(each.get_write_buffer_size() for each in (first, worst)) - 1
        unread = UnreadOutput(most, ThrottledLog(FakeSweeper(FakeTime())))
        unread.add("1.1.1.1", first)
        unread.add("1.1.1.1", worst)
        unread.add("2.2.2.2", other)
        unread.check(first)
        assert [each.is_closing() for each in (first, worst, other)] == [False, True, False]
        assert unread.cut == 1


async def test_a_connection_counts_for_one_address_until_it_is_removed() -> None:
    async with pipes(2) as (first, second):
        unread = UnreadOutput(1_500_000, ThrottledLog(FakeSweeper(FakeTime())))
        for address, transport in (("1.1.1.1", first), ("1.1.1.1", second), ("2.2.2.2", second)):
            unread.add(address, transport)
        unread.sweep()
        unread.remove(first)
        unread.remove(first)
        unread.add("2.2.2.2", first)
        unread.remove(first)
        unread.sweep()
        assert unread.cut == 0


async def test_a_slow_websocket_has_its_address_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"unread_bytes_per_address": 1}
    monkeypatch.setattr("bot.arena.edge.socket_server.UNREAD_BYTES", -1)  # each client is slow
    checked: list[str] = []
    monkeypatch.setattr(UnreadOutput, "_check_address", lambda _, address: checked.append(address))
    running = running_arena(settings(tmp_path, connections=limits))
    async with running as url, raw_socket(url, source="127.0.0.2"):
        assert "127.0.0.2" in checked
