"""Games are played over a WebSocket: setup, requests, interrupts, and what ends the connection."""

import asyncio
from typing import Any

import aiohttp
import pytest

from tests.bot.guests.hexo.server.fakes import FakePool, Site, site
from tests.fakes.waiting import eventually

SETUP = {"type": "setup", "board": {"cells": [{"q": 0, "r": 0, "p": "x"}]}}
WALL = [(0, -1), (0, -2)]


def move(side: str, *pieces: tuple[int, int]) -> dict[str, Any]:
    return {"side": side, "pieces": [{"q": q, "r": r} for q, r in pieces]}


def ask(side: str, *previous: dict[str, Any], number: int | None = None) -> dict[str, Any]:
    request = {"type": "move_request", "side": side, "previous": list(previous)}
    return request if number is None else {**request, "request_id": number}


async def closed(socket: "aiohttp.ClientWebSocketResponse[Any]") -> tuple[int | None, str]:
    """The code and the reason with which the server ended the connection."""
    message = await socket.receive(timeout=20)
    assert message.type is aiohttp.WSMsgType.CLOSE, message
    return message.data, message.extra or ""


def plies(client: Site) -> list[int]:
    return [len(question.position.turns) for question in client.pool.asked]


async def test_a_game_is_played_request_by_request() -> None:
    async with site(FakePool({1: "1:0,0:1", 3: "2:0,0:2"})) as client, client.game() as socket:
        await socket.send_json(SETUP)
        await socket.send_json(ask("o", number=1))
        first = await socket.receive_json(timeout=20)
        assert first == {
            "type": "move_response",
            "move": {
                "pieces": [{"q": 1, "r": 0}, {"q": 0, "r": 1}],
                "evaluation": {"heuristic": -0.5},
            },
            "request_id": 1,
        }
        await socket.send_json({"type": "heartbeat", "waiting": False})
        await socket.send_json(ask("o", move("o", (1, 0), (0, 1)), move("x", *WALL), number=2))
        second = await socket.receive_json(timeout=20)
        assert (second["request_id"], second["move"]["pieces"][0]) == (2, {"q": 2, "r": 0})
        assert plies(client) == [1, 3]
        assert len({question.game_id for question in client.pool.asked}) == 1
        assert client.count("basic_websocket", "answered") == 2
        assert client.answers_timed() == 2
        game_id = client.pool.asked[0].game_id
        await socket.close()
        await eventually(lambda: client.pool.forgotten == [game_id])


async def test_the_client_may_play_other_moves_than_the_bot_chose() -> None:
    async with site() as client, client.game() as socket:
        await socket.send_json(SETUP)
        await socket.send_json(ask("o"))
        await socket.receive_json(timeout=20)
        played = [move("o", (3, 0), (3, 1)), move("x", *WALL), move("o", (4, 0), (4, 1))]
        await socket.send_json(ask("x", *played))
        await socket.receive_json(timeout=20)
        assert client.pool.asked[-1].position.turns[1:] == ("3:0,3:1", "0:-1,0:-2", "4:0,4:1")


async def test_a_setup_may_be_any_board_that_a_game_can_reach() -> None:
    async with site() as client, client.game() as socket:
        cells = [{"q": q, "r": r, "p": "o"} for q, r in WALL] + SETUP["board"]["cells"]  # type: ignore[index]
        await socket.send_json({"type": "setup", "board": {"cells": cells}})
        await socket.send_json(ask("x"))
        await socket.receive_json(timeout=20)
        assert len(client.pool.asked[-1].position.stones) == 3


async def test_an_interrupted_request_is_not_answered_and_its_moves_do_not_count() -> None:
    pool = FakePool()
    pool.may_answer.clear()
    async with site(pool) as client, client.game() as socket:
        await socket.send_json(SETUP)
        await socket.send_json(ask("x", move("o", *WALL), number=1))
        await eventually(lambda: len(pool.asked) >= 1)
        await socket.send_json({"type": "interrupt", "request_id": 77})  # it knows no such request
        await socket.send_json({"type": "interrupt", "request_id": 1})
        await eventually(lambda: pool.cancelled == 1)
        pool.may_answer.set()
        await socket.send_json(ask("x", move("o", (5, 0), (5, 1)), number=2))
        answer = await socket.receive_json(timeout=20)
        assert answer["request_id"] == 2
        assert pool.asked[-1].position.turns == ("0:0", "5:0,5:1")


@pytest.mark.parametrize(
    "following",
    [ask("x", move("o", *WALL), number=2), ask("x", number=2)],
    ids=["with its moves again", "after its moves"],
)
async def test_a_request_replaces_the_one_before_it(following: dict[str, Any]) -> None:
    pool = FakePool()
    pool.may_answer.clear()
    async with site(pool) as client, client.game() as socket:
        await socket.send_json(SETUP)
        await socket.send_json(ask("x", move("o", *WALL), number=1))
        await eventually(lambda: len(pool.asked) >= 1)
        pool.may_answer = asyncio.Event()
        pool.may_answer.set()
        await socket.send_json(following)
        assert (await socket.receive_json(timeout=20))["request_id"] == 2
        assert pool.cancelled == 1
        assert pool.asked[-1].position.turns == ("0:0", "0:-1,0:-2")


@pytest.mark.parametrize(
    ("packets", "code", "reason"),
    [
        ([{"type": "nonsense"}], 1008, "bad_packet"),
        ([["list"]], 1008, "bad_packet"),
        ([ask("o")], 1008, "no_setup"),
        ([SETUP, ask("x")], 1008, "wrong_side"),
        ([SETUP, ask("o", move("x", *WALL), move("o", (1, 0), (2, 0)))], 1008, "wrong_side"),
        ([SETUP, ask("x", move("o", (1, 0), (99, 0)))], 1008, "illegal_turn"),
        ([SETUP, ask("x", move("o", (0, 0), (1, 0)))], 1008, "illegal_turn"),
        ([{"type": "setup", "board": {"cells": []}}], 1008, "no_choice"),
        ([*[{"type": "config", "depth": 4}] * 201], 1008, "too_many_packets"),
    ],
)
async def test_a_client_that_breaks_the_protocol_is_left(
    packets: list[Any], code: int, reason: str
) -> None:
    async with site() as client, client.game() as socket:
        for packet in packets:
            await socket.send_json(packet)
        found, why = await closed(socket)
        assert found == code
        assert why.startswith(f"{reason}: ")
        assert len(why.encode()) <= 123
        assert client.count("basic_websocket", reason) == 1


async def test_a_client_that_waits_for_nothing_is_left_once_no_answer_is_on_its_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with site() as client, client.game() as socket:
        await socket.send_json({"type": "heartbeat", "waiting": True})
        await socket.send_json(SETUP)
        await socket.send_json(ask("o"))
        await socket.receive_json(timeout=20)
        monkeypatch.setattr("bot.guests.hexo.server.games.CROSSING_S", -1.0)
        await socket.send_json({"type": "heartbeat", "waiting": True})
        assert (await closed(socket))[1].startswith("nothing_asked")


async def test_a_message_that_is_too_long_ends_the_connection() -> None:
    async with site() as client, client.game() as socket:
        await socket.send_str("[" * (200 << 10))
        assert (await closed(socket))[0] == 1009


async def test_no_more_games_are_opened_than_the_operator_allows() -> None:
    async with site(games=1) as client, client.game() as socket:
        await socket.send_json(SETUP)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            async with client.game():
                pass
        assert refusal.value.status == 503
        await socket.close()
        await eventually(lambda: client.server._reserved == 0)
        async with client.game() as again:
            await again.send_json(SETUP)


async def test_an_interrupt_of_an_answered_request_changes_nothing() -> None:
    pool = FakePool()
    async with site(pool) as client, client.game() as socket:
        await socket.send_json(SETUP)
        await socket.send_json(ask("o", number=1))
        await socket.receive_json(timeout=20)
        pool.may_answer.clear()
        await socket.send_json(ask("x", move("o", *WALL), number=2))
        await eventually(lambda: len(pool.asked) >= 2)
        await socket.send_json({"type": "interrupt", "request_id": 1})
        pool.may_answer.set()
        assert (await socket.receive_json(timeout=20))["request_id"] == 2
        assert pool.cancelled == 0


async def test_a_server_that_stops_says_so() -> None:
    async with aiohttp.ClientSession() as http:
        async with site() as client:
            socket = await http.ws_connect(f"{client.url}bws/v1-alpha/game")
            await socket.send_json(SETUP)
        assert (await closed(socket))[0] == 1001


async def test_a_silent_client_is_left() -> None:
    async with site(idle_s=0.2) as client, client.game() as socket:
        assert (await closed(socket))[0] == 1000


async def test_a_game_needs_the_token_and_an_allowed_origin() -> None:
    async with site(tokens=("s3cret",)) as client:
        for headers, status in [({}, 401), ({"Origin": "https://evil.example"}, 403)]:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
                async with client.game(**headers):
                    pass
            assert refusal.value.status == status
        async with client.game(Authorization="Bearer s3cret") as socket:
            await socket.send_json(SETUP)
