"""Turns are asked for over HTTP, with one request each."""

import asyncio
import json
from typing import Any

import pytest

from bot.guests.hexo.htttx_messages import MAX_BODY_BYTES, MOST_CELLS, Capabilities
from tests.bot.guests.hexo.server.fakes import FakePool, site
from tests.fakes.waiting import eventually

ORIGIN = {"q": 0, "r": 0, "p": "x"}
START = {"board": {"to_move": "o", "cells": [ORIGIN]}}


def board(x: list[tuple[int, int]], o: list[tuple[int, int]], to_move: str) -> dict[str, Any]:
    cells = [{"q": q, "r": r, "p": "x"} for q, r in x] + [{"q": q, "r": r, "p": "o"} for q, r in o]
    return {"board": {"to_move": to_move, "cells": cells}}


async def test_capabilities_say_what_is_offered() -> None:
    async with site() as client, client.http.get(f"{client.url}capabilities.json") as response:
        found = Capabilities.model_validate_json(await response.read())
    assert found.meta is not None
    assert found.meta.name == "Bluestone"
    assert found.turns is not None
    assert found.turns.move_time_limit
    assert found.games is not None
    assert (found.games.request_id, found.games.move_skips) == (True, True)
    assert not found.games.free_setup


async def test_a_turn_has_two_pieces_and_an_evaluation_for_x() -> None:
    async with site(FakePool({1: "1:0,0:1"})) as client:
        status, answer = await client.turn({**START, "request_id": 7, "time_limit": 5})
        assert status == 200
        assert answer == {
            "move": {
                "pieces": [{"q": 1, "r": 0}, {"q": 0, "r": 1}],
                "evaluation": {"heuristic": -0.5},
            },
            "request_id": 7,
        }
        (question,) = client.pool.asked
        assert question.budget.hard_ms <= 4950
        assert question.budget.think_ms < question.budget.hard_ms
        assert client.pool.forgotten == [question.game_id]
        assert client.count("stateless", "answered") == 1


async def test_the_cells_may_come_in_any_order() -> None:
    async with site() as client:
        request = board([(2, 0), (0, 0), (1, 0)], [(1, 1), (0, 2)], "o")
        status, _ = await client.turn(request)
        assert status == 200
        assert len(client.pool.asked[0].position.stones) == 5


async def test_a_turn_that_wins_with_its_first_stone_gets_a_second_piece() -> None:
    x = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]
    o = [(0, 1), (0, 2), (0, 3), (1, 1), (5, 5), (6, 6)]
    async with site(FakePool({6: "5:0"})) as client:
        status, answer = await client.turn(board(x, o, "x"))
    assert status == 200
    move: Any = answer["move"]
    assert move["pieces"] == [{"q": 5, "r": 0}, {"q": 6, "r": 0}]


SIX = [(n, 0) for n in range(6)] + [(9, 9)]
O_SIX = [(0, 1), (0, 3), (2, 2), (2, 3), (5, 5), (6, 6)]


@pytest.mark.parametrize(
    ("request_body", "status", "code"),
    [
        ({}, 400, "bad_request"),
        ({"board": {"to_move": "z", "cells": []}}, 400, "bad_request"),
        ({"board": {"to_move": "o", "cells": [{"q": "0", "r": 0, "p": "x"}]}}, 400, "bad_request"),
        ({**START, "time_limit": -1}, 400, "bad_request"),
        ({"board": {"to_move": "o", "cells": [ORIGIN] * (MOST_CELLS + 1)}}, 400, "bad_request"),
        (board([(0, 0), (1, 0)], [], "x"), 400, "unreachable"),
        (board([(0, 0)], [(1, 0), (20, 0)], "x"), 400, "unreachable"),
        (board([(0, 0)], [(1, 0), (2, 0)], "o"), 400, "wrong_side"),
        (board([(0, 0)], [(1, 0)], "o"), 409, "partial_turn"),
        (board([], [], "x"), 409, "no_choice"),
        (board(SIX, O_SIX, "o"), 409, "finished"),
        ({"board": {"cells": [], "to_move": "o"}, "pad": "x" * MAX_BODY_BYTES}, 413, "too_large"),
    ],
)
async def test_what_cannot_be_answered_is_refused_with_a_code(
    request_body: dict[str, Any], status: int, code: str
) -> None:
    async with site() as client:
        found, answer = await client.turn(request_body)
        assert (found, answer["code"]) == (status, code)
        assert isinstance(answer["error"], str)
        assert answer["error"].endswith(".") or code == "bad_request"
        assert client.pool.asked == []
        assert client.count("stateless", code) == 1


async def test_other_paths_and_methods_are_refused_as_json() -> None:
    async with site() as client:
        async with client.http.get(f"{client.url}nothing") as response:
            assert (response.status, (await response.json())["code"]) == (404, "not_found")
        async with client.http.get(f"{client.url}stateless/v1-alpha/turn") as response:
            assert (response.status, (await response.json())["code"]) == (405, "method")


async def test_more_requests_than_may_wait_are_refused_at_once() -> None:
    pool = FakePool()
    pool.may_answer.clear()
    async with site(pool, at_once=1, waiting=1) as client:
        asking = [asyncio.create_task(client.turn({**START, "time_limit": 60})) for _ in range(2)]
        await eventually(lambda: client.server._engine._present == 2)
        status, answer = await client.turn(START)
        assert (status, answer["code"]) == (503, "busy")
        pool.may_answer.set()
        assert [status for status, _ in await asyncio.gather(*asking)] == [200, 200]


async def test_a_request_that_waits_longer_than_its_limit_is_refused() -> None:
    pool = FakePool()
    pool.may_answer.clear()
    async with site(pool, at_once=1, waiting=5) as client:
        first = asyncio.create_task(client.turn({**START, "time_limit": 60}))
        await eventually(lambda: len(pool.asked) >= 1)
        status, answer = await client.turn({**START, "time_limit": 0.15})
        assert (status, answer["code"]) == (503, "busy")
        pool.may_answer.set()
        assert (await first)[0] == 200


async def test_the_operator_limits_every_turn() -> None:
    async with site(longest_s=1.0, usual_s=0.5) as client:
        await client.turn({**START, "time_limit": 1000})
        await client.turn(START)
        longest, usual = (each.budget.hard_ms for each in client.pool.asked)
    assert 500 < longest <= 950
    assert usual <= 450


async def test_a_client_that_leaves_ends_its_search() -> None:
    pool = FakePool()
    pool.may_answer.clear()
    async with site(pool) as client:
        asking = asyncio.create_task(client.turn(START))
        await eventually(lambda: len(pool.asked) >= 1)
        asking.cancel()
        await eventually(lambda: pool.cancelled == 1)
        await eventually(lambda: client.server._engine._present == 0)
        pool.may_answer.set()
        assert (await client.turn(START))[0] == 200


async def test_a_token_is_required_if_the_operator_wants_one() -> None:
    async with site(tokens=("s3cret",)) as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic s3cret"}):
            status, answer = await client.turn(START, **headers)
            assert (status, answer["code"]) == (401, "no_token")
        assert (await client.turn(START, Authorization="Bearer s3cret"))[0] == 200
        async with client.http.get(f"{client.url}capabilities.json") as response:
            assert response.status == 200
        async with client.http.get(f"{client.url}metrics") as response:
            assert response.status == 401


async def test_only_pages_of_allowed_origins_may_ask() -> None:
    async with site(origins=("https://site.example",)) as client:
        status, answer = await client.turn(START, Origin="https://other.example")
        assert (status, answer["code"]) == (403, "origin")
        address = f"{client.url}stateless/v1-alpha/turn"
        welcome = {"Origin": "https://site.example"}
        async with client.http.options(address, headers=welcome) as response:
            assert response.status == 204
            assert response.headers["Access-Control-Allow-Origin"] == "https://site.example"
        assert (await client.turn(START, **welcome))[0] == 200


async def test_bytes_that_are_no_json_are_refused() -> None:
    async with site() as client:
        address = f"{client.url}stateless/v1-alpha/turn"
        for body in (b"", b"\xff", b"[" * 5000, json.dumps(START).encode()[:-3]):
            async with client.http.post(address, data=body) as response:
                assert (response.status, (await response.json())["code"]) == (400, "bad_request")
