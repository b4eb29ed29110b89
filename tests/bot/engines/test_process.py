"""Engine processes: the protocol as it should go, and every way in which it goes wrong."""

import asyncio
import os
import sys
from pathlib import Path
from typing import cast

import pytest

import engine
from bot.engines.channel import LineChannel
from bot.engines.conversation import COMPILING, COMPILING_S, MAX_COMPILING_S, Conversation
from bot.engines.process import EngineProcess
from bot.engines.protocol import BestMove, InfoLine, game_options
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.errors import EngineDied, EngineProtocolError, EngineStartError, EngineTimeout
from bot.time_source import SystemTime
from tests.bot.engines.fakes import AMPLE, Lifeline, after, fake
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


class SilentChannel:
    """A program that is told nothing and says nothing by itself."""

    def listen(self, *_: object) -> None:
        pass


async def start(spec: EngineSpec) -> EngineProcess:
    return await EngineProcess.start(spec, SystemTime())


async def test_an_engine_reports_its_identity_and_options() -> None:
    process = await start(fake(options={"seed": 7, "Absent": 1}))
    assert process.settings.model_dump() == {
        "name": "Fake 1",
        "author": "the tests",
        "options": {"seed": "7"},
    }
    await process.close()
    assert not process.alive


async def test_an_engine_has_no_invisible_characters_in_its_name() -> None:
    lines = ["id name Ev\u202eil \x1b[2J\u200b 2", "id author \u3164\u2066"]
    process = await start(fake("ok", "--option-line", *lines))
    await process.close()
    assert process.settings.name == "Evil [2J 2"
    assert process.settings.author is None


async def test_a_turn_comes_with_its_last_info() -> None:
    process = await start(fake("ok", "--turns", "0-0"))
    reply = await process.think(after(), AMPLE)
    await process.close()
    assert reply.best == BestMove("0-0", "5-0,5-2")
    assert reply.info == InfoLine(100, 20_000, 5, 0.625, ("0-0", "5-0,5-2"))


async def test_the_best_of_several_lines_counts() -> None:
    offer = "option name MultiPV type spin default 1 min 1 max 5"
    process = await start(fake("ok", "--turns", "0-0", "--option-line", offer))
    await process.set_up(engine.game("bluestone"), {"MultiPV": "3"})
    reply = await process.think(after(), AMPLE)
    await process.close()
    assert reply.info == InfoLine(100, 20_000, 5, 0.625, ("0-0", "5-0,5-2"))


async def test_only_options_that_the_engine_has_are_set(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = await start(fake("ok", "--log", log))
    game = engine.game("bluestone", board="pent-8")
    await process.set_up(game, {"Rules": "official", "Level": "very strong"})
    position = game.replay(["0-0", "5-3,2-1"])
    await process.think(position, Budget(10, 60_000, "p1time 5 p2time 6"))
    await process.close()
    assert log.read_text().splitlines() == [
        "ugi",
        "isready",
        "setoption name Board value pent-8",
        "setoption name Level value very strong",
        "uginewgame",
        "isready",
        "position startpos moves 0-0 5-3,2-1",
        "isready",
        "go p1time 5 p2time 6",
        "stop",
        "quit",
    ]


async def test_a_value_that_the_engine_does_not_offer_is_its_fault() -> None:
    process = await start(fake())
    with pytest.raises(
        EngineProtocolError, match="does not offer Level 'odd', only weak, very strong"
    ):
        await process.set_up(engine.game("bluestone"), {"Level": "odd"})
    await process.kill()


async def test_an_engine_without_an_option_that_changes_the_game_is_not_asked_to_play_it() -> None:
    process = await start(fake())
    with pytest.raises(EngineProtocolError, match="no option captures, which blooms needs"):
        await process.set_up(engine.game("blooms", captures=9))
    await process.set_up(engine.game("blooms", captures=25))
    await process.kill()


def test_every_option_of_a_game_is_sent_since_engines_keep_former_values() -> None:
    assert game_options(engine.game("blooms", "hexhex-4", captures=9)) == {
        "Game": "blooms",
        "Board": "hexhex-4",
        "Rules": "official",
        "captures": "9",
        "handicap_1": "0",
        "handicap_2": "0",
    }
    assert game_options(engine.game("stargazers"))["protocol"] == "122"


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (EngineSpec(name="x", command=["/nonexistent/engine"]), "does not start"),
        (EngineSpec(name="x", command=["."]), "does not start"),
        (fake(directory="/nonexistent"), "does not start"),
        (fake("no-start"), "cannot find my network"),
        (EngineSpec(name="x", command=[sys.executable, "-c", "pass"]), "ended with status 0"),
        (fake(options={"Level": "odd"}), "does not offer Level"),
    ],
)
async def test_a_program_that_does_not_start_says_why(spec: EngineSpec, reason: str) -> None:
    with pytest.raises(EngineStartError, match=reason):
        await start(spec)


@pytest.mark.parametrize("mode", ["no-hello", "rubbish-hello", "deaf"])
async def test_a_program_that_does_not_say_hello_is_given_up(mode: str) -> None:
    time = FakeTime()
    starting = asyncio.create_task(EngineProcess.start(fake(mode, start_timeout_s=5), time))
    await eventually(lambda: time.sleepers > 0)
    await time.advance(5)
    with pytest.raises(EngineStartError, match="within 5 s"):
        await starting


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every line that reaches a conversation."""
    lines = list[str]()
    hear = Conversation._heard

    def note(conversation: Conversation, line: str) -> None:
        hear(conversation, line)
        lines.append(line)

    monkeypatch.setattr(Conversation, "_heard", note)
    return lines


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


async def test_an_engine_that_compiles_has_more_time(heard: list[str], pipe: Path) -> None:
    time = FakeTime()
    spec = fake("compiles", "--wait-for", pipe, start_timeout_s=5)
    starting = asyncio.create_task(EngineProcess.start(spec, time))
    await eventually(lambda: "info string compiling" in heard)
    await time.advance(55)
    await asyncio.to_thread(pipe.write_text, "")
    process = await starting
    assert process.alive
    await process.kill()


async def test_an_engine_that_stops_reporting_compiling_is_given_up(
    heard: list[str], pipe: Path
) -> None:
    time = FakeTime()
    spec = fake("compiles", "--wait-for", pipe, start_timeout_s=5)
    starting = asyncio.create_task(EngineProcess.start(spec, time))
    await eventually(lambda: "info string compiling" in heard)
    await time.advance(60)
    with pytest.raises(EngineStartError, match="within 5 s"):
        await starting


async def test_an_engine_cannot_compile_for_ever() -> None:
    time = FakeTime()
    conversation = Conversation(cast("LineChannel", SilentChannel()), time)
    began = time.monotonic()
    while time.monotonic() < began + 2 * MAX_COMPILING_S:
        conversation._heard(COMPILING)
        time.lapse(COMPILING_S / 2)
    assert conversation.compiles_until() == began + MAX_COMPILING_S


@pytest.mark.parametrize(
    ("mode", "error", "reason"),
    [
        ("rubbish", EngineProtocolError, "prints an invalid line: 'what is that"),
        ("no-turn", EngineProtocolError, "names no turn"),
        ("dies", EngineDied, "status 3; its last lines: cannot go on"),
        ("endless-line", EngineProtocolError, "a line of more than 65536 bytes"),
        ("long-line", EngineProtocolError, "a line of more than 65536 bytes"),
        ("flood", EngineProtocolError, "lines per second"),
        ("refuses", EngineProtocolError, "refuses the position: error illegal turn"),
    ],
)
async def test_an_engine_at_fault_is_named_with_its_fault(
    mode: str, error: type[Exception], reason: str
) -> None:
    process = await start(fake(mode))
    with pytest.raises(error, match=reason):
        await process.think(after("0-0"), AMPLE)
    await process.kill()
    assert not process.alive


@pytest.mark.parametrize("mode", ["silent", "late"])
async def test_the_hard_deadline_holds_and_the_whole_group_is_killed(
    mode: str, tmp_path: Path
) -> None:
    time, lifeline = FakeTime(), Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    process = await EngineProcess.start(fake(mode, "--child", lifeline.path), time)
    searching = asyncio.Event()
    thinking = asyncio.create_task(process.think(after(), Budget(500, 1000, "x"), searching.set))
    await searching.wait()
    await time.advance(0.999)
    assert not thinking.done()
    await time.advance(0.001)
    with pytest.raises(EngineTimeout, match="no answer to `go x` within 1000 ms"):
        await thinking
    await process.kill()
    assert await gone


async def test_children_of_an_engine_that_died_are_ended(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    process = await start(fake("dies", "--child", lifeline.path))
    with pytest.raises(EngineDied):
        await process.think(after(), AMPLE)
    assert await gone
    await process.kill()


@pytest.mark.parametrize("mode", ["waits", "talks"])
async def test_a_search_gets_stop_before_it_is_killed(mode: str) -> None:
    time = FakeTime()
    process = await EngineProcess.start(fake(mode, "--turns", "0-0"), time)
    searching = asyncio.Event()
    thinking = asyncio.create_task(process.think(after(), AMPLE, searching.set))
    await searching.wait()
    await time.advance(59.8)
    assert (await thinking).best.turn == "0-0"
    await process.kill()


async def test_a_cancelled_search_is_ended_and_the_process_is_of_use_again() -> None:
    process = await start(fake("waits", "--turns", "0-0"))
    searching = asyncio.Event()
    thinking = asyncio.create_task(process.think(after(), AMPLE, searching.set))
    await searching.wait()
    thinking.cancel()
    await asyncio.gather(thinking, return_exceptions=True)
    await process.settle()
    await process.settle()
    again = asyncio.create_task(process.think(after(), AMPLE, process.stop))
    assert (await again).best.turn == "0-0"
    await process.close()


async def test_analysis_gives_every_info_and_the_turn_at_last() -> None:
    process = await start(fake("ok", "--turns", "0-0"))
    said = [news async for news in process.analyse(after(), "infinite")]
    await process.close()
    assert [type(news) for news in said] == [InfoLine, BestMove]


async def test_an_engine_that_dies_during_analysis_is_an_error() -> None:
    process = await start(fake("dies"))
    with pytest.raises(EngineDied):
        _ = [news async for news in process.analyse(after(), "infinite")]
    await process.kill()


async def test_a_resignation_is_returned_only_if_the_caller_allows_it() -> None:
    process = await start(fake("resigns"))
    reply = await process.think(after(), AMPLE, may_resign=True)
    assert reply.best.resigns
    with pytest.raises(EngineProtocolError, match="plays an illegal turn"):
        await process.think(after(), AMPLE)
    await process.kill()


async def test_an_unrequested_turn_is_counted_and_ignored() -> None:
    process = await start(fake("out-of-turn", "--turns", "0-0"))
    assert (await process.think(after(), AMPLE)).best.turn == "0-0"
    assert await process.is_ready(60_000)
    assert process.unasked_turns == 1
    assert (await process.think(after("0-0"), AMPLE)).best.turn == "pass"
    await process.kill()


async def test_an_engine_that_floods_while_idle_is_ended() -> None:
    process = await start(fake("floods-after", "--turns", "0-0"))
    await process.think(after(), AMPLE)
    await eventually(lambda: not process.alive)
    with pytest.raises(EngineProtocolError, match="lines per second"):
        await process.think(after("0-0"), AMPLE)
    await process.kill()
