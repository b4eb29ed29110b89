"""The client of load tests against a real arena: it speaks just enough Socket.IO."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.arena.server import running_arena
from bot.bench.frames import Connection, ConnectionLost, Json, Refused, is_event, payload
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


async def test_two_players_meet(tmp_path: Path, session: aiohttp.ClientSession) -> None:
    ears = Heard(), Heard()
    async with running_arena(settings(tmp_path)) as url:
        one, two = [await Connection.open(session, url, {"v": 1}, ear) for ear in ears]
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
        with pytest.raises(Refused) as refused:
            await one.ask("game.turn", {**turn, "turn": "0-1"})
        assert refused.value.code == "stale_ply"
        await one.close()
        await two.close()


async def test_it_stays_as_long_as_it_answers_pings(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    often = {"ping_interval_s": 0.05, "ping_timeout_s": 0.2}
    async with running_arena(settings(tmp_path, connections=often)) as url:
        connection = await Connection.open(session, url, {"v": 1}, Heard())
        await asyncio.sleep(1)  # several deadlines of a client that is silent
        assert (await connection.ask("state", {"v": 1})).fields["ok"]
        await connection.close()


async def test_who_is_refused_hears_why(tmp_path: Path, session: aiohttp.ClientSession) -> None:
    async with running_arena(settings(tmp_path)) as url:
        with pytest.raises(Refused) as refused:
            await Connection.open(session, url, {"v": 1, "token": "wrong"}, Heard())
        assert refused.value.code == "bad_token"


async def test_a_page_that_is_no_socket_is_a_refusal(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    async with running_arena(settings(tmp_path)) as url:
        with pytest.raises(Refused) as refused:
            await Connection.open(session, f"{url}/api/nowhere", {"v": 1}, Heard())
        assert refused.value.code == "http_404"


async def test_an_end_in_between_is_told_to_everybody_who_asks(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    async with running_arena(settings(tmp_path)) as url:
        connection = await Connection.open(session, url, {"v": 1}, Heard())
    with pytest.raises(ConnectionLost):
        await connection.ask("state", {"v": 1})
    await connection.close()
    with pytest.raises(ConnectionLost, match="no connection to"):
        await Connection.open(session, url, {"v": 1}, Heard())
