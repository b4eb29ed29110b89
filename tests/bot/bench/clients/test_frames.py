"""The client of load tests against a real arena: it speaks just enough Socket.IO."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.arena.server import running_arena
from bot.bench.clients.frames import (
    PING,
    PONG,
    FrameConnection,
    FramesLost,
    Json,
    RequestRefused,
    is_event,
    payload,
)
from tests.bot.arena.table import settings, setup

DEADLINE_S = 20.0


class Heard:
    """Every event of a connection, as it arrived."""

    def __init__(self) -> None:
        self.texts: asyncio.Queue[str] = asyncio.Queue()

    def __call__(self, text: str, moment: float) -> None:
        assert moment > 0
        self.texts.put_nowait(text)

    async def next(self, event: str) -> Json:
        async with asyncio.timeout(DEADLINE_S):
            while not is_event(text := await self.texts.get(), event):
                pass
        data: Json = payload(text)
        return data


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with running_arena(settings(tmp_path)) as address:
        yield address


async def test_two_players_meet(url: str, session: aiohttp.ClientSession) -> None:
    ears = Heard(), Heard()
    one, two = [await FrameConnection.open(session, url, {"v": 1}, ear) for ear in ears]
    names = [(await ear.next("welcome"))["you"]["name"] for ear in ears]
    created = await one.ask("challenge.create", {"v": 1, "setup": setup(), "seats": names})
    challenge_id = created.fields["challenge"]["challenge_id"]
    await two.ask("challenge.accept", {"v": 1, "challenge_id": challenge_id})
    game_id = (await ears[1].next("game"))["game_id"]
    turn = {"v": 1, "game_id": game_id, "ply": 0, "turn": "0-0"}
    answer = await one.ask("game.turn", turn)
    assert answer.fields["ply"] == 0
    assert answer.moment > created.moment
    assert [each["turn"] for each in (await ears[1].next("game"))["turns"]] == ["0-0"]
    with pytest.raises(RequestRefused) as refused:
        await one.ask("game.turn", {**turn, "turn": "0-1"})
    assert refused.value.code == "stale_ply"
    await one.close()
    await two.close()


async def test_a_refused_client_gets_the_reason(url: str, session: aiohttp.ClientSession) -> None:
    with pytest.raises(RequestRefused) as refused:
        await FrameConnection.open(session, url, {"v": 1, "token": "wrong"}, Heard())
    assert refused.value.code == "bad_token"


async def test_an_address_without_sockets_is_a_refusal(
    url: str, session: aiohttp.ClientSession
) -> None:
    with pytest.raises(RequestRefused) as refused:
        await FrameConnection.open(session, f"{url}/api/nowhere", {"v": 1}, Heard())
    assert refused.value.code == "http_404"


async def test_a_lost_connection_fails_every_waiting_request(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    async with running_arena(settings(tmp_path)) as url:
        connection = await FrameConnection.open(session, url, {"v": 1}, Heard())
    await connection.lost()
    with pytest.raises(FramesLost):
        await connection.ask("state", {"v": 1})
    await connection.close()
    with pytest.raises(FramesLost, match="no connection to"):
        await FrameConnection.open(session, url, {"v": 1}, Heard())


class Script:
    """A server that sends what it is told and then waits for an answer, frame by frame."""

    def __init__(self, *frames: str) -> None:
        self._frames = frames
        self.answers: list[str] = []

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for frame in self._frames:
            await socket.send_str(frame)
            self.answers.append(await socket.receive_str())
        await socket.close()
        return socket


@asynccontextmanager
async def playing(script: Script) -> AsyncIterator[str]:
    """The address of a server with that script."""
    app = web.Application()
    app.router.add_get("/socket.io/", script.serve)
    async with TestServer(app) as server, asyncio.timeout(DEADLINE_S):
        yield f"http://{server.host}:{server.port}"


async def test_pings_are_answered(session: aiohttp.ClientSession) -> None:
    script = Script('0{"sid":"x"}', PING)
    async with playing(script) as url:
        with pytest.raises(FramesLost):  # the script ends without letting anybody in
            await FrameConnection.open(session, url, {"v": 1}, Heard())
    assert script.answers == ['40{"v":1}', PONG]


async def test_a_refusal_may_say_when_to_come_back(session: aiohttp.ClientSession) -> None:
    script = Script(
        '0{"sid":"x"}',
        '44{"message":"Later.","data":{"code":"too_many","message":"Later.","retry_after_ms":1500}}',
    )
    async with playing(script) as url:
        with pytest.raises(RequestRefused, match=r"too_many: Later\.") as refused:
            await FrameConnection.open(session, url, {"v": 1}, Heard())
    assert refused.value.retry_after_s == 1.5


async def test_a_bug_of_the_listener_is_raised_and_not_taken_for_a_lost_connection(
    url: str, session: aiohttp.ClientSession
) -> None:
    def fail(_text: str, _moment: float) -> None:
        raise KeyError("game")

    connection = await FrameConnection.open(session, url, {"v": 1, "name": "Ann"}, fail)
    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(KeyError):
            await connection.lost()
    await connection.close()
