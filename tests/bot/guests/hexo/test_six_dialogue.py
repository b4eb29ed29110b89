"""Engines that speak Six are played like any other; real processes throughout."""

import asyncio
import sys
from pathlib import Path

import pytest

import engine
from bot.engines.pool import EnginePool
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget, Question
from bot.engines.spec import EngineSpec
from bot.errors import EngineProtocolError, EngineStartError
from bot.guests.hexo.six_dialogue import position_line, six_limits
from bot.records.writing import verify
from bot.runtime.children import PYTHON_M
from bot.time_controls import Fischer, PerTurn
from bot.time_source import SystemTime
from bot.tournaments.conduct import HostConduct
from tests.bot.matches.games import played, task

PROGRAM = Path(__file__).with_name("fake_six_engine.py")
AMPLE = Budget(50_000, 60_000, "movetime 50000")
ROW = ["0:0", "0:1,0:2", "1:0,2:0", "0:3,1:1", "3:0,4:0", "5:5,6:6"]
"""x has five in a row, and is to move."""


def six(mode: str = "ok", *arguments: object, **fields: object) -> EngineSpec:
    command = [sys.executable, str(PROGRAM), "--mode", mode, *map(str, arguments)]
    box = {"write": [each.parent for each in arguments if isinstance(each, Path)]}
    table = {"name": "six", "protocol": "six", "command": command, "sandbox": box, **fields}
    return EngineSpec.model_validate(table)


def after(*turns: str) -> engine.Position:
    return engine.game("hexo").replay(turns)


async def started(spec: EngineSpec) -> EngineProcess:
    process = await EngineProcess.start(spec, SystemTime())
    await process.set_up(engine.game("hexo"))
    return process


async def test_the_conversation_is_that_of_six(tmp_path: Path) -> None:
    log = tmp_path / "log"
    spec = six("ok", "--at", 1, "--turns", "1 0 0 -1", "--log", log, options={"Depth": "4"})
    process = await started(spec)
    reply = await process.think(after("0:0"), AMPLE)
    await process.close()
    assert process.settings.name == "Fake"
    assert process.settings.options == {"Depth": "4"}
    assert (reply.best.turn, reply.info.nodes) == ("1:0,0:-1", 1234)
    assert reply.info.pv == ("1:0,0:1", "2:0")
    assert log.read_text().splitlines() == [
        "six",
        "setoption Depth 4",
        "isready",
        "newgame",
        "isready",
        "position radius 8 moves 0 0",
        "isready",
        "go movetime 50000",
        "stop",
        "quit",
    ]


async def test_the_opening_is_one_stone() -> None:
    process = await started(six("ok", "--at", 0, "--turns", "0 0"))
    reply = await process.think(after(), AMPLE)
    await process.kill()
    assert reply.best.turn == "0:0"


@pytest.mark.parametrize("answer", ["5 0", "5 0 7 0"])
async def test_a_second_stone_after_a_win_is_left_out(answer: str) -> None:
    process = await started(six("ok", "--at", 11, "--turns", answer))
    reply = await process.think(after(*ROW), AMPLE)
    await process.kill()
    assert reply.best.turn == "5:0"


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("illegal", "plays an "),
        ("half", "plays an "),
        ("words", "names no turn|names no cells"),
        ("refuses", "refuses the position: error setups are not known here"),
    ],
)
async def test_an_engine_that_breaks_the_protocol_fails(mode: str, message: str) -> None:
    process = await started(six(mode))
    with pytest.raises(EngineProtocolError, match=message):
        await process.think(after("0:0"), AMPLE)
    await process.kill()


async def test_an_engine_that_does_not_greet_does_not_start() -> None:
    spec = six("no-hello", start_timeout_s=1)
    with pytest.raises(EngineStartError, match="`sixok` and `readyok` within 1 s"):
        await EngineProcess.start(spec, SystemTime())


async def test_another_game_is_refused() -> None:
    process = await EngineProcess.start(six(), SystemTime())
    with pytest.raises(EngineProtocolError, match="cannot play blooms"):
        await process.set_up(engine.game("blooms"))
    await process.kill()


async def test_the_cap_of_the_referee_is_no_option_of_the_engine() -> None:
    process = await EngineProcess.start(six("ok", "--at", 1, "--turns", "1 0 0 1"), SystemTime())
    game = engine.game("hexo", cap=50)
    await process.set_up(game)
    assert (await process.think(game.replay(["0:0"]), AMPLE)).best.turn == "1:0,0:1"
    await process.kill()


async def test_a_search_is_stopped_at_the_end_of_its_time() -> None:
    process = await started(six("waits", "--at", 1, "--turns", "1 0 0 1"))
    reply = await process.think(after("0:0"), Budget(50, 60_000, "movetime 50", stop_ms=50))
    assert reply.best.turn == "1:0,0:1"
    sent = asyncio.Event()
    question = asyncio.create_task(process.think(after("0:0"), AMPLE, sent.set))
    await sent.wait()
    question.cancel()
    await asyncio.gather(question, return_exceptions=True)
    await process.settle()
    assert process.alive
    await process.kill()


async def test_an_engine_that_counts_nodes_gets_its_own_limit(tmp_path: Path) -> None:
    log = tmp_path / "log"
    spec = six("ok", "--at", 1, "--turns", "1 0 0 1", "--log", log, turn_nodes=700)
    process = await started(spec)
    await process.think(after("0:0"), AMPLE)
    await process.kill()
    assert "go nodes 700" in log.read_text().splitlines()


@pytest.mark.parametrize(
    ("mode", "source"), [("ok", "engine"), ("illegal", "fallback"), ("half", "fallback")]
)
async def test_a_bot_plays_with_one_and_has_a_fallback(mode: str, source: str) -> None:
    spec = six(mode, "--at", 1, "--turns", "1 0 0 1")
    async with EnginePool(spec, 1, SystemTime()) as pool:
        answer = await pool.ask(Question("g", after("0:0"), AMPLE))
        assert answer.source == source
        assert after("0:0").is_legal(answer.turn)
        assert pool.health.failures == ({} if source == "engine" else {"protocol": 1})


async def test_two_of_them_play_a_match_game_by_the_clock() -> None:
    x = six("ok", "--at", 0, 3, 7, 11, "--turns", "0 0", "1 0 2 0", "3 0 4 0", "5 0")
    o = six("ok", "--at", 1, 5, 9, "--turns", "0 1 0 2", "0 3 0 4", "1 1 5 2")
    clock = Fischer(initial_s=60, increment_s=1)
    report = await played(task(x, o, clock=clock, board="plane", game="hexo"))
    assert report.result is not None
    assert (report.result.winner, report.result.reason) == (1, "played_out")
    assert report.record is not None
    assert [turn.turn for turn in report.record.turns][-2:] == ["1:1,5:2", "5:0"]
    assert verify(report.record) == []


async def test_our_engine_plays_itself_through_six() -> None:
    command = [*PYTHON_M, "engine.ugi", "--engine", "random", "--protocol", "six"]
    ours = EngineSpec(name="ours", protocol="six", command=command)
    conduct = HostConduct(most_turns=20)
    clock = PerTurn(turn_s=30)
    report = await played(
        task(ours, ours, clock=clock, board="plane", game="hexo", conduct=conduct)
    )
    assert report.record is not None
    turns = [turn.turn for turn in report.record.turns]
    assert after(*turns).turns == tuple(turns)
    assert len(turns) == 20
    assert {player.engine.name for player in report.record.players if player.engine} == {
        "Bluestone random"
    }


def test_limits_are_translated() -> None:
    assert six_limits("p1time 10 p2time 20 p1inc 1 p2inc 2") == "xtime 10 otime 20 xinc 1 oinc 2"
    assert six_limits("movetime 100") == "movetime 100"
    assert six_limits("infinite") == "movetime 86400000"


def test_positions_are_coordinates() -> None:
    assert position_line([]) == "position radius 8"
    assert position_line(["0:0", "1:-2,3:4"]) == "position radius 8 moves 0 0 1 -2 3 4"
