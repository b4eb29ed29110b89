"""A server for short calls: what it lets through, and what it never reads to the end."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from bot.runtime.listening import bound
from bot.runtime.one_call_server import Call, CallLimits, CallReply, one_call_server
from tests.fakes.waiting import eventually

LIMITS = CallLimits(body=1000, linger_s=0.01)


@dataclass
class Server:
    """What came through to the one who answers, and what was refused before."""

    port: int = 0
    calls: list[Call] = field(default_factory=list)
    refused: list[tuple[int, str]] = field(default_factory=list)
    hold: asyncio.Event | None = None

    async def answer(self, call: Call) -> CallReply:
        self.calls.append(call)
        if self.hold is not None:
            await self.hold.wait()
        return CallReply(202, {"length": len(call.body)})

    def on_refused(self, status: int, code: str, why: str) -> None:
        assert why
        self.refused.append((status, code))

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, *parts: bytes) -> bytes:
        """All that is answered to these bytes, until the connection is closed."""
        reader, writer = await self.open()
        writer.write(b"".join(parts))
        answer = await reader.read()
        writer.close()
        return answer


@asynccontextmanager
async def serving(limits: CallLimits = LIMITS) -> AsyncIterator[Server]:
    server = Server()
    listening = bound("127.0.0.1", 0)
    server.port = listening.getsockname()[1]
    async with one_call_server(listening, server.answer, limits, server.on_refused):
        yield server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server


def head(*lines: str, method: str = "POST") -> bytes:
    return "\r\n".join([f"{method} /any?path HTTP/1.1", "Host: here", *lines, "", ""]).encode()


def length(count: int) -> str:
    return f"Content-Length: {count}"


def status_of(answer: bytes) -> int:
    return int(answer.split()[1])


async def test_a_complete_call_is_passed_on_unchanged(server: Server) -> None:
    body = b"\x00\xff not JSON "
    answer = await server.ask(head(length(len(body)), "X-Name: Value"), body)
    assert answer.startswith(b"HTTP/1.1 202 ")
    assert answer.endswith(b'{"length": 12}')
    (call,) = server.calls
    assert (call.method, call.headers["x-nAME"], call.body) == ("POST", "Value", body)


async def test_a_connection_is_for_one_call(server: Server) -> None:
    answer = await server.ask(head(length(1)), b"a", head(length(1)), b"b")
    assert b"Connection: close" in answer
    assert [call.body for call in server.calls] == [b"a"]


async def test_a_body_has_a_limit_of_bytes(server: Server) -> None:
    assert status_of(await server.ask(head(length(1000)), b"a" * 1000)) == 202
    assert status_of(await server.ask(head(length(1001)), b"a" * 1001)) == 413
    assert status_of(await server.ask(head(length(10**15)))) == 413
    assert len(server.calls) == 1
    assert server.refused == [(413, "too_long")] * 2


async def test_a_chunked_body_has_a_limit_of_bytes(server: Server) -> None:
    chunked = head("Transfer-Encoding: chunked")
    parts = b"1f4\r\n" + b"a" * 500 + b"\r\n"
    assert status_of(await server.ask(chunked, parts, parts, b"0\r\n\r\n")) == 202
    assert status_of(await server.ask(chunked, parts, parts, b"1\r\na\r\n")) == 413
    assert len(server.calls) == 1


async def test_compressed_bodies_are_not_opened(server: Server) -> None:
    body = gzip.compress(b" " * 100_000)
    assert (
        status_of(await server.ask(head(length(len(body)), "Content-Encoding: gzip"), body)) == 202
    )
    assert server.calls[0].body == body


async def test_100_continue_is_sent_on_request(server: Server) -> None:
    reader, writer = await server.open()
    writer.write(head(length(1), "Expect: 100-continue"))
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(b"a")
    assert status_of(await reader.read()) == 202
    writer.close()
    too_long = await server.ask(head(length(1001), "Expect: 100-continue"))
    assert status_of(too_long) == 413


async def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async with serving(replace(LIMITS, body_s=0.01, head_s=0.01)) as server:
        assert status_of(await server.ask(head(length(2)), b"a")) == 408
        assert await server.ask(b"POST / HTTP/1.1\r\nHost: he") == b""
        assert await server.ask() == b""
        assert server.calls == []


async def test_an_incomplete_body_is_not_passed_on(server: Server) -> None:
    reader, writer = await server.open()
    writer.write(head(length(10)) + b"abc")
    writer.write_eof()
    assert await reader.read() == b""
    writer.close()
    assert server.calls == []
    assert server.refused == [(400, "broken_body")]


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nX: " + b"a" * 10_000 + b"\r\n\r\n",
    ],
)
async def test_invalid_http_is_refused(
    server: Server, garbage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    assert status_of(await server.ask(garbage)) == 400
    assert server.calls == []
    assert caplog.records == []


async def test_silent_connections_block_no_other_callers() -> None:
    async with serving(replace(LIMITS, connections=3)) as server:
        silent = [await server.open() for _ in range(3)]
        for _ in range(3):
            assert status_of(await server.ask(head(length(1)), b"a")) == 202
        assert await silent[0][0].read() == b"", "the oldest has gone"
        for _, writer in silent:
            writer.close()


async def test_calls_that_are_being_answered_are_not_cut_off() -> None:
    async with serving(replace(LIMITS, connections=3)) as server:
        server.hold = asyncio.Event()
        asked = [asyncio.create_task(server.ask(head(length(1)), b"a")) for _ in range(3)]
        await eventually(lambda: len(server.calls) >= 3)
        reader, writer = await server.open()
        assert await reader.read() == b"", "there is no room"
        writer.close()
        server.hold.set()
        assert [status_of(answer) for answer in await asyncio.gather(*asked)] == [202] * 3
