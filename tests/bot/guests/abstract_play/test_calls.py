"""One HTTP call over real sockets: sent once, with a deadline, and with a limit to its answer."""

import gzip
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.guests.abstract_play.calls import (
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    USUAL_PAUSE_S,
    HttpPoster,
    HttpResponse,
    Kind,
    PatientPoster,
    Throttled,
    retry_after_s,
)
from bot.platforms.base import NoAnswer
from bot.runtime.http_client import open_session
from tests.bot.guests.abstract_play.peer import Peer, cut, cut_within, endless, reply, running_peer
from tests.bot.guests.abstract_play.posters import FakePoster, FakeWaits
from tests.fakes.time import EPOCH, FakeTime

LIMIT = 100_000


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    async with running_peer() as peer:
        yield peer


async def call(peer: Peer, deadline_s: float = 20.0) -> HttpResponse:
    async with open_session() as session:
        caller = HttpPoster(session, FakeTime(), deadline_s)
        return await caller.post(f"{peer.url}/a", b"body", {"X-Kind": "test"}, LIMIT)


async def test_a_post_has_its_headers_and_returns_the_answer(peer: Peer) -> None:
    peer.will("/a", reply(502, b"bad gateway"))
    assert await call(peer) == HttpResponse(502, b"bad gateway", None)
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
        caller = HttpPoster(session, FakeTime())
        await caller.post(f"{peer.url}/a", b"", {}, LIMIT)
        with pytest.raises(NoAnswer):
            await caller.post(f"{peer.url}/a", b"", {}, LIMIT)
        assert (await caller.post(f"{peer.url}/a", b"", {}, LIMIT)).body == b"two"
    assert len(peer.seen) == 3


async def test_a_refused_connection_is_no_answer() -> None:
    async with open_session() as session:
        with pytest.raises(NoAnswer):
            await HttpPoster(session, FakeTime()).post("http://127.0.0.1:1/", b"", {}, LIMIT)


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


async def test_compressed_answers_are_not_decompressed(peer: Peer) -> None:
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
            await HttpPoster(session, FakeTime()).post(f"{peer.url}/a", b"", {}, LIMIT)
    assert "cookie" not in peer.seen[1].headers


async def test_retry_after_is_parsed(peer: Peer) -> None:
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


FINE = HttpResponse(200, b"", None)


def throttled(retry_after_s: float | None) -> HttpResponse:
    return HttpResponse(429, b"", retry_after_s)


class Desk:
    def __init__(self, *answers: HttpResponse) -> None:
        self.time = FakeTime()
        self.waits = FakeWaits()
        self.poster = FakePoster(*answers)
        self.start()

    def start(self, kind: Kind = "moves") -> None:
        self.patient = PatientPoster(kind, self.poster, self.waits, self.time)

    async def post(self) -> int:
        return (await self.patient.post("https://x.example/", b"", {}, 100)).status

    @property
    def sent(self) -> int:
        return len(self.poster.posted)


@pytest.mark.parametrize(("asked_s", "pause_s"), [(120.0, 120.0), (None, FIRST_PAUSE_S)])
async def test_nothing_is_sent_before_the_platform_wants_it(
    asked_s: float | None, pause_s: float
) -> None:
    desk = Desk(throttled(asked_s), FINE)
    assert await desk.post() == 429
    await desk.time.advance(pause_s - 1)
    with pytest.raises(Throttled) as caught:
        await desk.post()
    assert caught.value.pause_s == pytest.approx(1)
    assert desk.sent == 1
    await desk.time.advance(1)
    assert await desk.post() == 200


async def test_pauses_without_a_duration_grow_until_an_answer_comes() -> None:
    desk = Desk(*[throttled(None)] * 6, FINE, throttled(None), FINE)
    pauses = []
    while await desk.post() == 429:
        pauses.append(next(iter(desk.waits.kept.values())) - desk.time.wall())
        await desk.time.advance(USUAL_PAUSE_S)
    assert [pause.total_seconds() for pause in pauses] == [2, 4, 8, 16, 30, 30]
    await desk.post()
    await desk.time.advance(FIRST_PAUSE_S)
    assert await desk.post() == 200


async def test_a_pause_outlives_the_program() -> None:
    desk = Desk(throttled(600.0), FINE)
    await desk.post()
    assert desk.waits.kept == {"moves": desk.time.wall() + timedelta(seconds=600)}
    desk.start()
    with pytest.raises(Throttled):
        await desk.post()
    await desk.time.advance(600)
    assert await desk.post() == 200


async def test_a_pause_for_queries_does_not_stop_moves() -> None:
    desk = Desk(throttled(600.0), FINE)
    desk.start("queries")
    await desk.post()
    desk.start("moves")
    assert await desk.post() == 200


async def test_a_pause_of_zero_seconds_is_no_pause() -> None:
    desk = Desk(throttled(0.0), FINE)
    await desk.post()
    assert await desk.post() == 200


async def test_consecutive_pauses_of_zero_seconds_grow_too() -> None:
    """A date that is past says so: the platform's clock may be behind ours."""
    desk = Desk(*[throttled(0.0)] * 4, FINE)
    pauses = []
    while await desk.post() == 429:
        pauses.append(next(iter(desk.waits.kept.values())) - desk.time.wall())
        await desk.time.advance(USUAL_PAUSE_S)
    assert [pause.total_seconds() for pause in pauses] == [0, 4, 8, 16]


async def test_a_day_of_refusals_is_like_an_hour_of_them() -> None:
    desk = Desk(*[throttled(None)] * 1100, FINE)
    for _ in range(1100):
        assert await desk.post() == 429
        await desk.time.advance(USUAL_PAUSE_S)
    assert await desk.post() == 200


async def test_the_file_is_read_once() -> None:
    desk = Desk(FINE, FINE)
    await desk.post()
    await desk.post()
    assert desk.waits.reads == 1


async def test_without_a_disk_a_pause_lasts_as_long_as_the_program() -> None:
    desk = Desk(FINE, throttled(600.0))
    desk.waits.is_broken = True
    assert await desk.post() == 200
    assert await desk.post() == 429
    with pytest.raises(Throttled):
        await desk.post()


async def test_a_file_that_can_be_read_again_is() -> None:
    desk = Desk(FINE)
    desk.waits.kept["moves"] = desk.time.wall() + timedelta(seconds=60)
    desk.waits.is_broken = True
    await desk.post()
    desk.waits.is_broken = False
    with pytest.raises(Throttled):
        await desk.post()


async def test_a_clock_that_was_set_back_does_not_silence_the_bot() -> None:
    desk = Desk(throttled(LONGEST_PAUSE_S), FINE)
    await desk.post()
    desk.time.step_wall(-86_400)
    assert await desk.post() == 200
