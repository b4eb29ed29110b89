"""The pool: a legal turn for every question, from an engine if it can be."""

import asyncio
from pathlib import Path

import pytest

import engine
from bot.clock import Budget
from bot.engines.pool import Answer, EnginePool, Question
from bot.engines.spec import EngineSpec
from bot.time_source import SystemTime
from tests.bot.engines.fakes import Lifeline, fake, question
from tests.fakes.time import FakeTime


def is_legal(asked: Question, answer: Answer) -> bool:
    position = engine.game(asked.game, asked.board, asked.rules).start()
    for turn in asked.turns:
        position = position.play(turn)
    return position.is_legal(answer.turn)


async def ask(spec: EngineSpec, asked: Question) -> Answer:
    async with EnginePool(spec, 1, SystemTime()) as pool:
        return await pool.ask(asked)


async def test_an_engine_answers() -> None:
    answer = await ask(fake("ok", "--turns", "0-0", options={"Seed": 5}), question())
    assert (answer.turn, answer.source, answer.ponder) == ("0-0", "engine", "5-0,5-2")
    assert (answer.value, answer.visits, answer.pv) == (0.625, 100, ("0-0", "5-0,5-2"))
    assert (answer.engine.name, answer.engine.options) == ("Fake 1", {"Seed": "5"})
    assert answer.failure is None


@pytest.mark.parametrize(
    ("mode", "kind", "reason"),
    [
        ("rubbish", "protocol", "prints rubbish"),
        ("no-turn", "protocol", "names no turn"),
        ("illegal", "protocol", "plays an illegal turn '99-99,99-98'"),
        ("dies", "died", "status 3"),
        ("endless-line", "protocol", "without end"),
        ("refuses", "protocol", "refuses the position"),
    ],
)
async def test_a_fault_is_counted_and_the_fallback_plays(
    mode: str, kind: str, reason: str
) -> None:
    asked = question("0-0")
    async with EnginePool(fake(mode), 1, SystemTime()) as pool:
        answer = await pool.ask(asked)
        assert answer.source == "fallback"
        assert reason in (answer.failure or "")
        assert is_legal(asked, answer)
        assert pool.health.failures == {kind: 1}
        assert pool.health.healthy


async def test_a_silent_engine_is_killed_with_its_children_and_replaced(tmp_path: Path) -> None:
    time, lifeline, state = FakeTime(), Lifeline(tmp_path), tmp_path / "state"
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    searching = asyncio.Event()
    spec = fake("silent", "--times", 1, "--state", state, "--child", lifeline.path)
    async with EnginePool(spec, 1, time, on_go=lambda _: searching.set()) as pool:
        first = asyncio.create_task(pool.ask(question("0-0")))
        await searching.wait()
        await time.advance(60)
        assert (await first).source == "fallback"
        assert await gone
        assert pool.health.failures == {"late": 1}
        second = asyncio.create_task(Lifeline.everyone_is_gone(lifeline))
        assert (await pool.ask(question())).source == "engine"
        assert pool.health.consecutive_failures == 0
    assert await second


async def test_an_engine_that_never_starts_leaves_the_fallback() -> None:
    asked = question("0-0")
    async with EnginePool(fake("no-start"), 1, FakeTime()) as pool:
        for _ in range(3):
            asking = asyncio.create_task(pool.ask(asked))
            await until(lambda: pool.health.failures.get("start", 0) >= 1)
