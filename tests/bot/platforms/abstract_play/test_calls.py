"""One HTTP call over real sockets: sent once, with a deadline, and with a limit to its answer."""

import gzip
from collections.abc import AsyncIterator

import pytest

from bot.platforms.abstract_play.calls import (
    LONGEST_PAUSE_S,
    Answer,
    Caller,
    open_session,
    retry_after_s,
)
from bot.platforms.base import NoAnswer
from tests.bot.platforms.abstract_play.peer import (
    Peer,
    cut,
    cut_within,
    endless,
    reply,
    running_peer,
)
from tests.fakes.time import EPOCH, FakeTime

LIMIT = 100_000


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    async with running_peer() as peer:
        yield peer


async def call(peer: Peer, deadline_s: float = 20.0) -> Answer:
    async with open_session() as session:
        caller = Caller(session, FakeTime(), deadline_s)
        return await caller.post(f"{peer.url}/a", b"body", {"X-Kind": "test"}, LIMIT)


async def test_what_is_posted_and_answered(peer: Peer) -> None:
    peer.will("/a", reply(502, b"bad gateway"))
    assert await call(peer) == Answer(502, b"bad gateway", None)
    [seen] = peer.seen
    assert seen.body == b"body"
    assert seen.headers["x-kind"] == "test"


@pytest.mark.parametrize("beginning", [b"", b'{"statusCode":200'])
async def test_a_call_whose_connection_breaks_is_sent_once(peer: Peer, beginning: bytes) -> None:
    peer.will("/a", cut_within(beginning) if beginning else cut, reply(200))
    with pytest.raises(NoAnswer):
        await call(peer)
    assert len(peer.seen) == 1


async def test_a_connection_that_broke_is_replaced(peer: Peer) -> None:
    peer.will("/a", reply(200, b"one"), cut, reply(200, b"two"))
    async with open_session() as session:
        caller = Caller(session, FakeTime())
        await caller.post(f"{peer.url}/a", b"", {}, LIMIT)
        with pytest.raises(NoAnswer):
            await caller.post(f"{peer.url}/a", b"", {}, LIMIT)
        assert (await caller.post(f"{peer.url}/a", b"", {}, LIMIT)).body == b"two"
    assert len(peer.seen) == 3


async def test_nobody_there_is_no_answer() -> None:
    async with open_session() as session:
        with pytest.raises(NoAnswer):
            await Caller(session, FakeTime()).post("http://127.0.0.1:1/", b"", {}, LIMIT)


async def test_silence_is_no_answer(peer: Peer) -> None:
    peer.will("/a", peer.never)
    with pytest.raises(NoAnswer, match=r"within 0\.05 s"):
        await call(peer, deadline_s=0.05)


async def test_an_answer_may_be_as_long_as_the_limit_and_no_longer(peer: Peer) -> None:
    peer.will("/a", reply(200, b"x" * LIMIT), reply(200, b"x" * (LIMIT + 1)))
    assert len((await call(peer)).body) == LIMIT
    with pytest.raises(NoAnswer, match="longer than 100000 bytes"):
        await call(peer)


async def test_an_answer_that_does_not_say_how_long_it_is_is_limited_too(peer: Peer) -> None:
    peer.will("/a", endless(b"x" * 10_000, times=1000))
    with pytest.raises(NoAnswer, match="longer than"):
        await call(peer)


async def test_what_is_packed_stays_packed(peer: Peer) -> None:
    bomb = gzip.compress(bytes(10 * LIMIT))
    peer.will("/a", reply(200, bomb, Content_Encoding="gzip"))
    assert (await call(peer)).body == bomb
    assert peer.seen[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_an_answer_and_is_not_followed(peer: Peer, status: int) -> None:
    peer.will("/a", reply(status, Location="/elsewhere"))
    assert (await call(peer)).status == status
    assert len(peer.seen) == 1


async def test_cookies_are_not_kept(peer: Peer) -> None:
    peer.will("/a", reply(200, Set_Cookie="a=b"), reply(200))
    async with open_session() as session:
        for _ in range(2):
            await Caller(session, FakeTime()).post(f"{peer.url}/a", b"", {}, LIMIT)
    assert "cookie" not in peer.seen[1].headers


async def test_for_how_long_the_answer_asks_to_be_left_alone(peer: Peer) -> None:
    peer.will("/a", reply(429, Retry_After="7"))
    assert (await call(peer)).retry_after_s == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("120", 120),
        (" 120 ", 120),
        ("999999", LONGEST_PAUSE_S),
        ("9" * 5000, LONGEST_PAUSE_S),
        ("Thu, 01 Jan 2026 00:02:00 GMT", 120),
        ("Thu, 01 Jan 2026 01:02:00 +0100", 120),
        ("Wed, 31 Dec 2025 23:00:00 GMT", 0),
        ("Fri, 01 Jan 2100 00:00:00 GMT", LONGEST_PAUSE_S),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("\u0663", None),
        ("Thu, 99 Jan 2026 00:02:00 GMT", None),
        ("Thu, 01 Jan 99999 00:02:00 GMT", None),
        ("Thu, 01 Jan 99999999999999999999 00:02:00 GMT", None),
        ("Thu, 01 Jan 2026 00:02:00 +99999999999999", None),
    ],
)
def test_the_header_is_seconds_or_a_date(text: str, expected: float | None) -> None:
    assert retry_after_s(text, EPOCH) == expected
