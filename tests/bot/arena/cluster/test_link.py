"""Requests between two processes, over real sockets of this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import pytest
from structlog.testing import capture_logs

from bot.arena.cluster.channel import GREETING, LOGIN_S, MOST_BYTES, NONCE_BYTES, UNREAD_S
from bot.arena.cluster.link import CONNECT_S, MOST_BODY_BYTES, Handler, Links, LinkServer, PeerGone
from bot.arena.link_address import join_address, split_address
from bot.arena.refusals import Refused
from bot.errors import HostError
from bot.runtime.listening import bound
from bot.time_source import SystemTime, TimeSource
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

HOST = "127.0.0.1"
PATIENCE_S = 60.0
SECRET = "a secret"


async def echo(body: bytes) -> bytes:
    return body


class Desk:
    """Handlers that tests control: `wait` answers when `go` is set."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.running = 0

    async def wait(self, body: bytes) -> bytes:
        self.running += 1
        await self.go.wait()
        return body

    async def refuse(self, _body: bytes) -> bytes:
        raise Refused("illegal_turn", "No such cell.", rule="outside", retry_after_s=1.5)

    async def fail(self, _body: bytes) -> bytes:
        raise KeyError("secret detail")

    async def large(self, _body: bytes) -> bytes:
        return bytes(MOST_BODY_BYTES + 1)

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {
            "echo": echo,
            "wait": self.wait,
            "refuse": self.refuse,
            "fail": self.fail,
            "large": self.large,
        }


@asynccontextmanager
async def serving(
    desk: Desk, secret: str = SECRET, time: TimeSource | None = None, port: int = 0
) -> AsyncIterator[str]:
    """A server; its address."""
    server = LinkServer(desk.handlers, secret, time)
    try:
        yield join_address(HOST, await server.open(HOST, port))
    finally:
        await server.close()


@pytest.fixture
async def desk() -> Desk:
    return Desk()


@pytest.fixture
async def address(desk: Desk) -> AsyncIterator[str]:
    async with serving(desk) as address:
        yield address


@pytest.fixture
async def links() -> AsyncIterator[Links]:
    links = Links(SECRET, SystemTime())
    yield links
    await links.close()


Reply = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def stranger(reply: Reply) -> AsyncIterator[str]:
    """A server that is not a LinkServer; its address."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reply(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(accept, HOST, 0)
    async with server:
        yield join_address(HOST, server.sockets[0].getsockname()[1])


async def refusal(of: Awaitable[bytes]) -> Refused:
    with pytest.raises(Refused) as caught:
        await of
    return caught.value


async def ended(reader: asyncio.StreamReader) -> bool:
    """Wait for the end of a connection."""
    with suppress(ConnectionError):
        await asyncio.wait_for(reader.read(), PATIENCE_S)
    return True


# ---- requests ------------------------------------------------------------------------------------


async def test_a_request_is_answered(links: Links, address: str) -> None:
    assert await links.ask(address, "echo", b"\x00body", PATIENCE_S) == b"\x00body"
    assert await links.ask(address, "echo", b"", PATIENCE_S) == b""


async def test_each_of_many_requests_gets_its_own_answer(links: Links, address: str) -> None:
    bodies = [str(number).encode() * 100 for number in range(500)]
    answers = [links.ask(address, "echo", body, PATIENCE_S) for body in bodies]
    assert await asyncio.gather(*answers) == bodies


async def test_a_slow_request_holds_up_no_other(links: Links, address: str, desk: Desk) -> None:
    slow = asyncio.create_task(links.ask(address, "wait", b"slow", PATIENCE_S))
    await eventually(lambda: desk.running == 1)
    assert await links.ask(address, "echo", b"quick", PATIENCE_S) == b"quick"
    assert not slow.done()
    desk.go.set()
    assert await slow == b"slow"


async def test_requests_share_one_connection(desk: Desk) -> None:
    server, links = LinkServer(desk.handlers, SECRET), Links(SECRET, SystemTime())
    address = join_address(HOST, await server.open(HOST, 0))
    await asyncio.gather(*(links.ask(address, "echo", b"", PATIENCE_S) for _ in range(20)))
    assert len(server._channels) == 1
    await links.close()
    await eventually(lambda: not server._channels)
    await server.close()


async def test_large_bodies_cross_in_both_directions(links: Links, address: str) -> None:
    body = bytes(range(256)) * (MOST_BODY_BYTES // 256)
    assert await links.ask(address, "echo", body, PATIENCE_S) == body
    with pytest.raises(ValueError, match="too many"):
        await links.ask(address, "echo", body + bytes(257), PATIENCE_S)
    assert await links.ask(address, "echo", b"small", PATIENCE_S) == b"small"


# ---- refusals and faults -------------------------------------------------------------------------


async def test_a_refusal_crosses_the_link_whole(links: Links, address: str) -> None:
    refused = await refusal(links.ask(address, "refuse", b"", PATIENCE_S))
    assert (refused.code, refused.message) == ("illegal_turn", "No such cell.")
    assert (refused.rule, refused.retry_after_s) == ("outside", 1.5)


@pytest.mark.parametrize(
    ("method", "event"),
    [
        ("fail", "link_request_failed"),
        ("large", "link_request_failed"),
        ("unheard_of", "link_method_unknown"),
    ],
)
async def test_a_fault_of_the_server_is_logged_there_and_refused(
    links: Links, address: str, method: str, event: str
) -> None:
    with capture_logs() as lines:
        refused = await refusal(links.ask(address, method, b"", PATIENCE_S))
    assert refused.code == "server_error"
    assert "secret detail" not in refused.message
    assert [(line["event"], line["method"]) for line in lines] == [(event, method)]


# ---- processes that do not answer ----------------------------------------------------------------


async def test_a_server_that_ends_fails_all_requests_that_wait(links: Links, desk: Desk) -> None:
    async with serving(desk) as address:
        asks = [asyncio.create_task(links.ask(address, "wait", b"", PATIENCE_S)) for _ in range(3)]
        await eventually(lambda: desk.running == 3)
    for ask in asks:
        with pytest.raises(PeerGone, match=address) as caught:
            await ask
        assert caught.value.was_sent
    with pytest.raises(PeerGone):
        await links.ask(address, "echo", b"", PATIENCE_S)


async def test_a_process_that_is_back_is_reached_again(links: Links, desk: Desk) -> None:
    async with serving(desk) as address:
        assert await links.ask(address, "echo", b"1", PATIENCE_S) == b"1"
    async with serving(desk, port=split_address(address)[1]):
        await _reached(links, address)


async def _reached(links: Links, address: str) -> None:
    """The first request may meet the end of the former connection."""
    try:
        await links.ask(address, "echo", b"2", PATIENCE_S)
    except PeerGone:
        assert await links.ask(address, "echo", b"2", PATIENCE_S) == b"2"


async def test_a_handler_that_hangs_fails_its_request_alone(address: str, desk: Desk) -> None:
    time = FakeTime()
    links = Links(SECRET, time)
    slow = asyncio.create_task(links.ask(address, "wait", b"slow", 3))
    await eventually(lambda: desk.running == 1)
    await time.advance(2.9)
    assert not slow.done()
    await time.advance(0.2)
    with pytest.raises(PeerGone, match="no answer within 3 s"):
        await slow
    desk.go.set()  # the late answer reaches nobody
    assert await links.ask(address, "echo", b"on", 3) == b"on"
    assert desk.running == 1
    assert await links.ask(address, "wait", b"again", 3) == b"again"
    await links.close()
    await eventually(lambda: time.sleepers == 0)


async def test_a_request_that_is_cancelled_leaves_nothing(links: Links, address: str) -> None:
    ask = asyncio.create_task(links.ask(address, "wait", b"", PATIENCE_S))
    await links.ask(address, "echo", b"", PATIENCE_S)
    ask.cancel()
    await asyncio.wait({ask})
    assert not links._links[address]._waiting
    assert await links.ask(address, "echo", b"on", PATIENCE_S) == b"on"


async def test_a_port_where_nobody_listens_is_reported_at_once(links: Links) -> None:
    with socket.socket() as unused:
        unused.bind((HOST, 0))
        address = join_address(HOST, unused.getsockname()[1])
        with pytest.raises(PeerGone, match=address) as caught:
            await links.ask(address, "echo", b"", PATIENCE_S)
        assert not caught.value.was_sent


async def test_a_process_that_accepts_and_says_nothing_is_given_up() -> None:
    time = FakeTime()
    links = Links(SECRET, time)
    with bound(HOST, 0) as silent, capture_logs() as lines:
        address = join_address(HOST, silent.getsockname()[1])
        ask = asyncio.create_task(links.ask(address, "echo", b"", 3))
        await eventually(lambda: time.sleepers == 1)  # its own limit comes before the login's
        await time.advance(3.1)
        with pytest.raises(PeerGone, match="no answer within 3 s"):
            await ask
        patient = asyncio.create_task(links.ask(address, "echo", b"", 60))
        await time.advance(LOGIN_S)
        with pytest.raises(PeerGone, match="no login"):
            await patient
    assert [line["event"] for line in lines] == ["link_login_refused"]
    await links.close()


async def test_connecting_has_a_time_limit_of_its_own() -> None:
    time = FakeTime()
    links = Links(SECRET, time)
    with socket.socket() as full:
        full.bind((HOST, 0))
        full.listen(0)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        ask = asyncio.create_task(links.ask(join_address(*address), "echo", b"", 60))
        await eventually(lambda: time.sleepers >= 2)
        await time.advance(CONNECT_S + 0.1)
        with pytest.raises(PeerGone, match="no connection within 2 s"):
            await ask
        for each in waiting:
            each.close()
    await links.close()


# ---- ends ----------------------------------------------------------------------------------------


async def test_closing_the_links_fails_the_requests_that_wait(address: str, desk: Desk) -> None:
    links = Links(SECRET, SystemTime())
    ask = asyncio.create_task(links.ask(address, "wait", b"", PATIENCE_S))
    await eventually(lambda: desk.running == 1)
    with capture_logs() as lines:
        await links.close()
    with pytest.raises(PeerGone):
        await ask
    with pytest.raises(PeerGone, match="closed"):
        await links.ask(address, "echo", b"", PATIENCE_S)
    assert not lines


async def test_closing_the_links_ends_an_attempt_to_connect() -> None:
    links = Links(SECRET, SystemTime())
    with bound(HOST, 0) as silent:
        address = join_address(HOST, silent.getsockname()[1])
        ask = asyncio.create_task(links.ask(address, "echo", b"", PATIENCE_S))
        await asyncio.sleep(0)
        await links.close()
        with pytest.raises(PeerGone):
            await ask


async def test_a_process_that_has_ended_is_forgotten(
    links: Links, address: str, desk: Desk
) -> None:
    ask = asyncio.create_task(links.ask(address, "wait", b"", PATIENCE_S))
    await eventually(lambda: desk.running == 1)
    links.forget(address)
    links.forget("10.9.9.9:1")
    with pytest.raises(PeerGone, match="ended"):
        await ask
    assert await links.ask(address, "echo", b"new", PATIENCE_S) == b"new"


async def test_a_port_that_is_taken_is_an_error_of_the_host(address: str, desk: Desk) -> None:
    server = LinkServer(desk.handlers, SECRET)
    with pytest.raises(HostError, match="in use"):
        await server.open(*split_address(address))
    await server.close()


# ---- strangers -----------------------------------------------------------------------------------


async def test_a_wrong_secret_is_refused_and_logged_once(address: str) -> None:
    links = Links("another secret", SystemTime())
    with capture_logs() as lines:
        for _ in range(3):
            with pytest.raises(PeerGone):
                await links.ask(address, "echo", b"", PATIENCE_S)
    assert [(line["event"], line["address"]) for line in lines] == [("link_login_refused", HOST)]
    assert "secret" in lines[0]["why"]
    await links.close()


async def test_a_server_that_does_not_know_the_secret_gets_no_request(links: Links) -> None:
    received = bytearray()

    async def pretend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _send(writer, GREETING + bytes(NONCE_BYTES))
        received.extend(await reader.readexactly(4 + 2 * NONCE_BYTES))
        _send(writer, bytes(32))
        received.extend(await reader.read())

    async with stranger(pretend) as address:
        with pytest.raises(PeerGone, match="secret"):
            await links.ask(address, "echo", b"private", PATIENCE_S)
    assert b"private" not in received


def _send(writer: asyncio.StreamWriter, frame: bytes) -> None:
    writer.write(len(frame).to_bytes(4) + frame)


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        (1025).to_bytes(4),
        (3).to_bytes(4) + b"abc",
        (0).to_bytes(4),
        (64).to_bytes(4) + bytes(64),
    ],
)
async def test_a_stranger_is_cut(garbage: bytes, address: str, links: Links) -> None:
    reader, writer = await asyncio.open_connection(*split_address(address))
    writer.write(garbage)
    assert await ended(reader)
    writer.close()
    assert await links.ask(address, "echo", b"on", PATIENCE_S) == b"on"


async def test_a_stranger_that_is_silent_is_cut(desk: Desk) -> None:
    time = FakeTime()
    async with serving(desk, time=time) as address:
        reader, writer = await asyncio.open_connection(*split_address(address))
        await reader.readexactly(4 + len(GREETING) + NONCE_BYTES)
        await time.advance(LOGIN_S - 0.1)
        assert not reader.at_eof()
        await time.advance(0.2)
        assert await ended(reader)
        writer.close()


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\3abc", b""])
async def test_a_server_of_another_kind_is_given_up(links: Links, answer: bytes) -> None:
    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    async with stranger(reply) as address:
        with pytest.raises(PeerGone):
            await links.ask(address, "echo", b"", PATIENCE_S)


# ---- a peer that knows the secret and misbehaves -------------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        (MOST_BYTES + 1).to_bytes(4),
        b"\0\0\0\0",
        b"\0\0\0\4\0\2[]",
        b"\0\0\0\4\0\2{}",
        b'\0\0\0\x09\0\7{"n":1}',
        b"\0\0\0\4\xff\xffxx",
    ],
)
async def test_a_damaged_frame_ends_the_connection(
    links: Links, address: str, desk: Desk, frame: bytes
) -> None:
    ask = asyncio.create_task(links.ask(address, "wait", b"", PATIENCE_S))
    await eventually(lambda: desk.running == 1)
    channel = links._links[address].channel
    assert channel is not None
    assert channel._transport is not None
    with capture_logs() as lines:
        channel._transport.write(frame)
        with pytest.raises(PeerGone):
            await ask
    assert [line["event"] for line in lines] == ["link_cut", "link_lost"]
    assert await links.ask(address, "echo", b"on", PATIENCE_S) == b"on"


async def test_a_peer_that_reads_nothing_is_dropped(desk: Desk) -> None:
    time = FakeTime()
    links = Links(SECRET, SystemTime())
    async with serving(desk, time=time) as address:
        await links.ask(address, "echo", b"", PATIENCE_S)
        channel = links._links[address].channel
        assert channel is not None
        assert channel._transport is not None
        channel._transport.pause_reading()
        with capture_logs() as lines:
            ask = asyncio.create_task(links.ask(address, "echo", bytes(15_000_000), PATIENCE_S))
            await eventually(lambda: time.sleepers > 0)
            await time.advance(UNREAD_S + 0.1)
            await time.advance(UNREAD_S + 0.1)
            channel._transport.resume_reading()
            with pytest.raises(PeerGone):
                await ask
    assert lines[0]["event"] == "link_cut"
    assert "has read nothing" in lines[0]["why"]
    await links.close()
