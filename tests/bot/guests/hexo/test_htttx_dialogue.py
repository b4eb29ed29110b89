"""Engines behind an htttx server are played like any other: our client on our own server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

import engine
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.errors import EngineDied, EngineProtocolError, EngineStartError, EngineTimeout
from bot.guests.hexo.htttx_dialogue import chance_of, seconds_of
from bot.guests.hexo.htttx_messages import Evaluation
from bot.records.writing import verify
from bot.time_controls import PerTurn
from bot.time_source import SystemTime
from tests.bot.guests.hexo.server.fakes import FakePool, site
from tests.bot.matches.games import played, task
from tests.fakes.waiting import eventually

AMPLE = Budget(50_000, 60_000, "movetime 50000")
SOCKET = {"Api": "basic_websocket"}
CAPABLE: dict[str, Any] = {"meta": {"name": "Theirs"}, "stateless": {"versions": {"v1-alpha": {}}}}
X = {0: "0:0", 2: "1:0,2:0", 4: "3:0,4:0", 6: "5:0"}
O = {1: "0:1,0:2", 3: "0:3,0:4", 5: "1:1,5:2"}  # noqa: E741


def remote(url: str, **fields: object) -> EngineSpec:
    table = {"name": "theirs", "protocol": "htttx", "url": url, **fields}
    return EngineSpec.model_validate(table)


def after(*turns: str) -> engine.Position:
    return engine.game("hexo").replay(turns)


async def started(spec: EngineSpec) -> EngineProcess:
    process = await EngineProcess.start(spec, SystemTime())
    await process.set_up(engine.game("hexo"))
    return process


@asynccontextmanager
async def hostile(
    turn: Callable[[web.Request], Awaitable[web.StreamResponse]] | None = None,
    capabilities: object = CAPABLE,
) -> AsyncIterator[str]:
    """A server of somebody else's; `turn` answers requests for turns."""
    app = web.Application()
    app.router.add_get("/capabilities.json", always(capabilities))
    if turn is not None:
        app.router.add_post("/stateless/v1-alpha/turn", turn)
        app.router.add_get("/bws/v1-alpha/game", turn)
    server = TestServer(app)
    await server.start_server()
    try:
        yield str(server.make_url("/"))
    finally:
        await server.close()


def always(value: object, status: int = 200) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def turn(_: web.Request) -> web.Response:
        return web.json_response(value, status=status)

    return turn


# ---- on our own server -------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, SOCKET], ids=["stateless", "basic_websocket"])
async def test_a_server_is_asked_for_a_turn(options: dict[str, str]) -> None:
    async with site(FakePool({1: "1:0,0:1", 3: "5:0,0:5"})) as server:
        process = await started(remote(server.url, options=options))
        position = after("0:0")
        first = await process.think(position, AMPLE)
        position = position.play(first.best.turn).play("0:-1,0:-2")
        second = await process.think(position, AMPLE)
        await process.close()
        assert process.settings.name == "Bluestone"
        assert [first.best.turn, second.best.turn] == ["1:0,0:1", "5:0,0:5"]
        assert first.info.winrate == 0.75
        assert 40_000 < server.pool.asked[0].budget.hard_ms < 50_000
        games = {question.game_id for question in server.pool.asked}
        assert len(games) == (1 if options else 2)


async def test_a_game_over_a_websocket_may_begin_with_an_opening_and_go_back() -> None:
    async with site() as server:
        process = await started(remote(server.url, options=SOCKET))
        for turns in (["0:0", "1:0,2:0", "0:-1,0:-2"], ["0:0"], ["0:0", "5:0,5:1"]):
            await process.think(after(*turns), AMPLE)
        await process.close()
        assert [len(each.position.turns) for each in server.pool.asked] == [3, 1, 2]


@pytest.mark.parametrize("options", [{}, SOCKET], ids=["stateless", "basic_websocket"])
async def test_two_servers_play_a_match_game_by_the_clock(options: dict[str, str]) -> None:
    async with site(FakePool(X)) as one, site(FakePool(O)) as two:
        specs = [remote(each.url, options=options) for each in (one, two)]
        clock = PerTurn(turn_s=30)
        report = await played(task(*specs, clock=clock, board="plane", game="hexo"))
    assert report.result is not None
    assert (report.result.winner, report.result.reason) == (1, "played_out")
    assert report.record is not None
    assert report.record.turns[-1].turn == "5:0"
    assert verify(report.record) == []


async def test_a_token_is_sent_to_its_server_only(monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tokens=("s3cret",)) as server:
        process = await started(remote(server.url))
        with pytest.raises(EngineProtocolError, match="answers 401 no_token"):
            await process.think(after("0:0"), AMPLE)
        await process.kill()
        spec = remote(server.url, token_env="TOKEN_OF_THEIRS")
        with pytest.raises(EngineStartError, match="variable TOKEN_OF_THEIRS has no token"):
            await EngineProcess.start(spec, SystemTime())
        monkeypatch.setenv("TOKEN_OF_THEIRS", "s3cret")
        process = await started(spec)
        await process.think(after("0:0"), AMPLE)
        await process.close()


@pytest.mark.parametrize("options", [{}, SOCKET], ids=["stateless", "basic_websocket"])
async def test_a_cancelled_question_is_given_up_and_the_next_one_is_answered(
    options: dict[str, str],
) -> None:
    pool = FakePool()
    pool.may_answer.clear()
    async with site(pool) as server:
        process = await started(remote(server.url, options=options))
        question = asyncio.create_task(process.think(after("0:0"), AMPLE))
        await eventually(lambda: len(pool.asked) >= 1)
        question.cancel()
        await asyncio.gather(question, return_exceptions=True)
        await process.settle()
        pool.may_answer.set()
        assert (await process.think(after("0:0"), AMPLE)).best.turn
        await process.close()


# ---- servers of others -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("capabilities", "message"),
    [
        ({}, "neither stateless nor basic_websocket"),
        ({"stateless": {"versions": {}}}, "neither stateless nor basic_websocket"),
        ([], "sends an invalid capabilities.json"),
        ({"meta": {"name": 5}}, "meta.name"),
    ],
)
async def test_a_server_without_usable_capabilities_does_not_start(
    capabilities: object, message: str
) -> None:
    async with hostile(capabilities=capabilities) as url:
        with pytest.raises(EngineStartError, match=message):
            await EngineProcess.start(remote(url), SystemTime())


async def test_a_server_that_is_not_there_does_not_start() -> None:
    with pytest.raises(EngineStartError, match="cannot connect to"):
        await EngineProcess.start(remote("http://127.0.0.1:1/"), SystemTime())


def pieces(*cells: tuple[int, int]) -> dict[str, object]:
    return {"move": {"pieces": [{"q": q, "r": r} for q, r in cells]}}


@pytest.mark.parametrize(
    ("value", "status", "message"),
    [
        ({}, 200, "sends an invalid turn: move"),
        (pieces((1, 0)), 200, "sends an invalid turn: move.pieces"),
        (pieces((0, 0), (1, 0)), 200, "plays an "),
        ({"error": "no\x1b[2J", "code": "broken"}, 409, "answers 409 broken: no"),
        ("x" * (200 << 10), 200, "the answer is longer than"),
        ({}, 302, "its server answers 302"),
    ],
    ids=["empty", "one piece", "illegal", "refusal", "long", "redirect"],
)
async def test_bad_answers_are_failures_of_the_engine(
    value: object, status: int, message: str
) -> None:
    async with hostile(always(value, status)) as url:
        process = await started(remote(url))
        with pytest.raises((EngineProtocolError, EngineDied), match=message):
            await process.think(after("0:0"), AMPLE)
        await process.kill()


async def test_a_root_on_another_server_is_refused() -> None:
    version = {"v1-alpha": {"api_root": "http://elsewhere.example/"}}
    async with hostile(capabilities={"stateless": {"versions": version}}) as url:
        process = await started(remote(url))
        with pytest.raises(EngineProtocolError, match="names a root on another server"):
            await process.think(after("0:0"), AMPLE)
        await process.kill()


async def test_a_server_that_is_late_is_left() -> None:
    async def never(_: web.Request) -> web.Response:
        await asyncio.sleep(60)
        raise AssertionError

    async with hostile(never) as url:
        process = await started(remote(url))
        with pytest.raises(EngineTimeout):
            await process.think(after("0:0"), Budget(50, 100, "movetime 50"))
        await process.kill()


@pytest.mark.parametrize(
    ("packets", "message"),
    [
        (["nonsense"], "a packet that is not JSON"),
        (['{"type":"eval_response"}'] * 30, "sends packets, but no move_response"),
        (['{"type":"move_response"}'], "sends an invalid move_response: move"),
        ([], "its WebSocket ended with code 1000 bye"),
    ],
)
async def test_bad_packets_are_failures_of_the_engine(packets: list[str], message: str) -> None:
    async def talk(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        await socket.receive()
        for packet in packets:
            await socket.send_str(packet)
        await socket.close(message=b"bye")
        return socket

    version = {"v1-alpha": {"move_skips": True}}
    async with hostile(talk, {"basic_websocket": {"versions": version}}) as url:
        process = await started(remote(url))
        with pytest.raises((EngineProtocolError, EngineDied), match=message):
            await process.think(after("0:0"), AMPLE)
        await process.kill()


async def test_a_position_that_a_server_cannot_enter_is_not_sent() -> None:
    async def talk(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        return socket

    async with hostile(talk, {"basic_websocket": {"versions": {"v1-alpha": {}}}}) as url:
        process = await started(remote(url))
        with pytest.raises(EngineProtocolError, match="does not declare move_skips"):
            await process.think(after("0:0", "1:0,2:0", "0:-1,0:-2"), AMPLE)
        await process.kill()


async def test_another_way_or_another_game_is_refused() -> None:
    async with hostile() as url:
        with pytest.raises(EngineStartError, match="does not offer basic_websocket"):
            await EngineProcess.start(remote(url, options=SOCKET), SystemTime())
        process = await EngineProcess.start(remote(url), SystemTime())
        with pytest.raises(EngineProtocolError, match="cannot play blooms"):
            await process.set_up(engine.game("blooms"))
        with pytest.raises(EngineProtocolError, match="cannot count nodes"):
            await process.think(after("0:0"), Budget(50_000, 60_000, "nodes 100"))
        await process.kill()


# ---- numbers -----------------------------------------------------------------------------------


def test_an_evaluation_counts_for_x() -> None:
    assert chance_of(Evaluation(heuristic=0.5), 1) == 0.75
    assert chance_of(Evaluation(heuristic=0.5), 2) == 0.25
    assert chance_of(Evaluation(heuristic=1e300), 2) == 0
    assert chance_of(Evaluation(win_in=-3, heuristic=0.5), 2) == 1
    assert chance_of(Evaluation(), 1) is None
    assert chance_of(None, 1) is None


def test_the_time_for_a_turn_comes_from_the_limits() -> None:
    assert seconds_of("movetime 1000", 1) == 0.95
    assert seconds_of("movetime 60", 1) == 0.03
    assert seconds_of("nodes 100", 1) is None
    clock = "p1time 100000 p2time 50000 p1inc 0 p2inc 1000"
    assert seconds_of(clock, 1) == 3.95
    assert seconds_of(clock, 2) == 2.7
    assert seconds_of("p1time 259200000 p2time 259200000", 2) == 59.95
    assert seconds_of("p1time 300 p2time 300 p1inc 9000 p2inc 9000", 1) == 0.05
