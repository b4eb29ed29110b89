"""The client over real sockets: what it sends, and what it makes of every kind of answer."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.errors import PeerError
from bot.guests.abstract_play.answers import Verdict
from bot.guests.abstract_play.calls import FIRST_PAUSE_S, HttpResponse, Throttled
from bot.guests.abstract_play.client import RETRY_S, Client, ClientOptions, open_client
from bot.guests.abstract_play.messages import MAX_ANSWER_BYTES
from bot.platforms.base import GameGone, NoAnswer, NotNow
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.peer import (
    Peer,
    Reply,
    cut,
    cut_within,
    endless,
    reply,
    running_peer,
)
from tests.bot.guests.abstract_play.posters import FakePoster, FakeWaits
from tests.fakes.time import FakeTime

GAME = "c0ffee00"
MOVE = "4-1,2-7"
MOVES = "/dev/botQuery"
QUERIES = "/dev/query"
SECRET = "hush-hush"
UNAUTHORIZED = reply(401, b'{"message":"Unauthorized"}')


class Desk:
    """A client, the platform that it asks, and what it keeps."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.time = FakeTime()
        self.waits = FakeWaits()
        self.client: Client

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Desk"]:
        url = self.peer.url
        options = ClientOptions(
            f"{url}/dev/", f"{url}/token", "scope", "5kq-bot", SecretStr(SECRET)
        )
        async with open_client(options, self.waits, self.time) as self.client:
            yield self

    async def verdict_after(self, *replies: Reply) -> Verdict:
        self.peer.will(MOVES, *replies)
        return (await self.client.submit(GAME, "bluestone", MOVE)).verdict

    async def game_after(self, *replies: Reply) -> str:
        self.peer.will(QUERIES, *replies)
        return (await self.client.game("bluestone", GAME)).id


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    async with running_peer() as peer:
        yield peer


@pytest.fixture
async def desk(peer: Peer) -> AsyncIterator[Desk]:
    async with Desk(peer).open() as desk:
        yield desk


def enveloped(status: int, body: object) -> Reply:
    envelope = {"statusCode": status, "body": json.dumps(body), "headers": {}}
    return reply(200, bodies.text(envelope))


def played(**changes: object) -> Reply:
    after = ("3-2", "pass", "0-0,5-3", MOVE)
    return enveloped(200, bodies.record(after, toMove="0", **changes))


# ---- moves -------------------------------------------------------------------------------------


async def test_a_move_as_it_is_sent(desk: Desk, peer: Peer) -> None:
    peer.will(MOVES, played())
    told = await desk.client.submit(GAME, "bluestone", MOVE)
    assert told.verdict is Verdict.PLAYED
    assert told.record is not None
    assert told.record.to_move == "0"
    [seen] = peer.calls(MOVES)
    assert seen.json == {"verb": "move", "gameid": GAME, "metaGame": "bluestone", "move": MOVE}
    assert seen.headers["authorization"] == "Bearer token-1"
    assert seen.headers["content-type"] == "application/json"


async def test_resigning_is_sent_as_a_move(desk: Desk, peer: Peer) -> None:
    peer.will(MOVES, played())
    await desk.client.submit(GAME, "bluestone", "resign")
    assert peer.calls(MOVES)[0].json["move"] == "resign"


@pytest.mark.parametrize("move", ["", " ", "timeout", " TimeOut", "draw", "abandoned"])
async def test_an_invalid_move_is_never_sent(desk: Desk, peer: Peer, move: str) -> None:
    with pytest.raises(AssertionError):
        await desk.client.submit(GAME, "bluestone", move)
    assert peer.seen == []


async def test_a_refusal_inside_is_not_played(desk: Desk) -> None:
    refused = enveloped(500, {"message": "It is not your turn!"})
    assert await desk.verdict_after(refused) is Verdict.NOT_PLAYED


@pytest.mark.parametrize(
    "unknown", [cut, cut_within(b'{"statusCode":200'), reply(502), reply(503), reply(504)]
)
async def test_after_no_answer_the_game_has_to_be_read(
    desk: Desk, peer: Peer, unknown: Reply
) -> None:
    assert await desk.verdict_after(unknown, played()) is Verdict.READ_THE_GAME
    assert len(peer.calls(MOVES)) == 1


async def test_after_silence_the_game_has_to_be_read() -> None:
    token = HttpResponse(200, b'{"access_token":"token-1"}', None)
    poster = FakePoster(token, NoAnswer("no answer within 20 s"))
    options = ClientOptions("https://x/", "https://y/", "scope", "5kq-bot", SecretStr(SECRET))
    client = Client(options, poster, FakeWaits(), FakeTime())
    told = await client.submit(GAME, "bluestone", MOVE)
    assert (told.verdict, told.message) == (Verdict.READ_THE_GAME, "no answer within 20 s")


async def test_an_answer_about_another_game_settles_nothing(desk: Desk) -> None:
    assert await desk.verdict_after(played(id="another")) is Verdict.READ_THE_GAME


async def test_an_answer_that_is_too_long_settles_nothing(desk: Desk) -> None:
    long = endless(b" " * 65_536, times=MAX_ANSWER_BYTES // 65_536 + 1)
    assert await desk.verdict_after(long) is Verdict.READ_THE_GAME


# ---- tokens ------------------------------------------------------------------------------------


async def test_one_token_does_for_many_moves(desk: Desk, peer: Peer) -> None:
    peer.will(MOVES, *[played()] * 8)
    await asyncio.gather(*[desk.client.submit(GAME, "bluestone", MOVE) for _ in range(8)])
    assert peer.tokens == 1


async def test_a_refused_token_is_replaced_and_the_move_sent_once_more(
    desk: Desk, peer: Peer
) -> None:
    assert await desk.verdict_after(UNAUTHORIZED, played()) is Verdict.PLAYED
    sent = [seen.headers["authorization"] for seen in peer.calls(MOVES)]
    assert sent == ["Bearer token-1", "Bearer token-2"]


async def test_a_move_is_sent_no_third_time(desk: Desk, peer: Peer) -> None:
    told = await desk.verdict_after(UNAUTHORIZED, UNAUTHORIZED, played())
    assert told is Verdict.NEW_TOKEN
    assert len(peer.calls(MOVES)) == 2


@pytest.mark.parametrize(
    "answer", [reply(400, b'{"error":"invalid_client"}'), reply(500), cut, reply(200, b"{}")]
)
async def test_without_a_token_no_move_is_sent(desk: Desk, peer: Peer, answer: Reply) -> None:
    peer.will("/token", answer)
    assert await desk.verdict_after(played()) is Verdict.NOT_SENT
    assert peer.calls(MOVES) == []
    assert len(peer.calls("/token")) == 1


async def test_without_a_second_token_it_is_known_that_nothing_was_played(
    desk: Desk, peer: Peer
) -> None:
    await desk.client.submit(GAME, "bluestone", MOVE)
    peer.will("/token", reply(500))
    assert await desk.verdict_after(UNAUTHORIZED, played()) is Verdict.NOT_SENT
    assert len(peer.calls(MOVES)) == 2


async def test_neither_the_secret_nor_a_token_is_logged(desk: Desk) -> None:
    with capture_logs() as logs:
        await desk.verdict_after(UNAUTHORIZED, cut)
    assert SECRET not in str(logs)
    assert "token-1" not in str(logs)


# ---- pauses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limited", "pause_s"),
    [
        (reply(429, Retry_After="120"), 120),
        (reply(429, Retry_After="Thu, 01 Jan 2026 00:02:00 GMT"), 120),
        (reply(429), FIRST_PAUSE_S),
        (reply(429, Retry_After="soon"), FIRST_PAUSE_S),
    ],
)
async def test_no_move_is_sent_while_the_platform_wants_none(
    desk: Desk, peer: Peer, limited: Reply, pause_s: float
) -> None:
    peer.will(MOVES, limited, played())
    told = await desk.client.submit(GAME, "bluestone", MOVE)
    assert (told.verdict, told.retry_after_s) == (Verdict.LATER, pause_s)
    until = desk.time.wall() + timedelta(seconds=pause_s)
    assert desk.waits.kept == {"moves": until}
    assert await desk.verdict_after() is Verdict.NOT_SENT
    assert len(peer.calls(MOVES)) == 1
    await desk.time.advance(pause_s)
    assert await desk.verdict_after() is Verdict.PLAYED


async def test_a_pause_holds_after_a_restart(peer: Peer) -> None:
    desk = Desk(peer)
    async with desk.open():
        await desk.verdict_after(reply(429, Retry_After="600"), played())
    async with desk.open():
        assert await desk.verdict_after() is Verdict.NOT_SENT
        assert len(peer.calls(MOVES)) == 1


async def test_a_pause_for_tokens_has_its_duration(desk: Desk, peer: Peer) -> None:
    peer.will("/token", reply(429, Retry_After="600"))
    told = await desk.client.submit(GAME, "bluestone", MOVE)
    assert (told.verdict, told.retry_after_s) == (Verdict.NOT_SENT, 600)


async def test_a_pause_for_queries_has_its_full_duration(desk: Desk, peer: Peer) -> None:
    peer.will(QUERIES, reply(429, Retry_After="600"))
    with pytest.raises(Throttled) as caught:
        await desk.client.games("bluestone")
    assert isinstance(caught.value, NotNow)
    assert caught.value.pause_s == 600
    with pytest.raises(Throttled):
        await desk.client.game("bluestone", GAME)
    assert len(peer.calls(QUERIES)) == 1


# ---- games -------------------------------------------------------------------------------------


async def test_the_list_of_games_is_requested_without_a_token(desk: Desk, peer: Peer) -> None:
    peer.will(QUERIES, reply(200, bodies.text([bodies.listed()])))
    [game] = await desk.client.games("bluestone")
    assert game.id == GAME
    [seen] = peer.seen
    assert seen.json == {"query": "games", "pars": {"metaGame": "bluestone", "type": "current"}}
    assert seen.headers["content-type"] == "application/json"
    assert "authorization" not in seen.headers


async def test_bad_entries_and_other_games_hide_no_others(desk: Desk, peer: Peer) -> None:
    listed = [
        7,
        bodies.listed(id="other", metaGame="go"),
        bodies.listed(players=[]),
        bodies.listed(),
    ]
    peer.will(QUERIES, reply(200, bodies.text(listed)))
    with capture_logs() as logs:
        games = await desk.client.games("bluestone")
    assert [game.id for game in games] == [GAME]
    assert [(each["unread"], each["others"]) for each in logs] == [(2, 1)]


async def test_a_long_list_is_read(desk: Desk, peer: Peer) -> None:
    many = [bodies.listed(id=f"game-{number}") for number in range(3000)]
    body = bodies.text(many)
    assert len(body) > 1_000_000 // 2
    peer.will(QUERIES, reply(200, body))
    assert len(await desk.client.games("bluestone")) == 3000


async def test_a_game_is_requested_as_a_running_one(desk: Desk, peer: Peer) -> None:
    peer.will(QUERIES, reply(200, bodies.asked(bodies.finished(["3-2"], [1]))))
    record = await desk.client.game("bluestone", GAME)
    assert record.over
    pars = {"metaGame": "bluestone", "id": GAME, "cbit": 0}
    assert peer.seen[0].json == {"query": "get_game", "pars": pars}


@pytest.mark.parametrize(
    "answer",
    [
        cut,
        reply(200),
        reply(200, b"<html>"),
        reply(200, b"[" * 100_000),
        reply(200, b'{"message":"?"}'),
        reply(200, bodies.asked(bodies.record(state="{}"))),
        reply(200, bodies.asked(bodies.record(id="another"))),
        reply(200, bodies.asked(bodies.record(metaGame="blooms"))),
        reply(400, b'{"message":"bad JSON"}'),
        reply(403),
        reply(307, Location="/elsewhere"),
    ],
)
async def test_an_invalid_game_is_no_answer(desk: Desk, answer: Reply) -> None:
    with pytest.raises(NoAnswer):
        await desk.game_after(answer)
    assert await desk.game_after(reply(200, bodies.asked(bodies.record()))) == GAME


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_trouble_of_the_platform_passes(desk: Desk, peer: Peer, status: int) -> None:
    trouble = reply(status, b'{"message":"no such table"}', Retry_After="9")
    peer.will(QUERIES, trouble)
    with pytest.raises(NotNow, match="no such table") as caught:
        await desk.client.games("bluestone")
    assert caught.value.retry_after_s == 9
    with pytest.raises(NotNow):
        await desk.game_after(trouble)


async def test_a_failure_without_a_pause_is_not_retried_at_once(desk: Desk, peer: Peer) -> None:
    peer.will(QUERIES, reply(503, Retry_After="0"))
    with pytest.raises(NotNow) as caught:
        await desk.client.games("bluestone")
    assert caught.value.retry_after_s == RETRY_S


async def test_a_game_is_gone_if_it_is_not_found_for_long_and_others_are(
    desk: Desk, peer: Peer
) -> None:
    missing = reply(500, b'{"message":"Unable to get game"}')
    found: list[type[PeerError]] = []
    for _ in range(3):
        peer.will(QUERIES, reply(200, b"[]"))
        await desk.client.games("bluestone")
        await desk.time.advance(300)
        with pytest.raises(PeerError) as caught:
            await desk.game_after(missing)
        found.append(caught.type)
        await desk.time.advance(1)
    assert found == [NotNow, NotNow, GameGone]


async def test_a_game_that_the_list_shows_is_not_gone(desk: Desk, peer: Peer) -> None:
    for _ in range(5):
        peer.will(QUERIES, reply(200, bodies.text([bodies.listed()])))
        await desk.client.games("bluestone")
        await desk.time.advance(600)
        with pytest.raises(NotNow):
            await desk.game_after(reply(500))
