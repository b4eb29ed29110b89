"""The pool: a legal turn for every question, from an engine if it can be."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import engine
from bot.engines.fallback import fallback_turn
from bot.engines.pool import EnginePool
from bot.engines.questions import Budget, EngineAnswer, Question
from bot.engines.spec import EngineSpec
from bot.time_source import SystemTime
from tests.bot.engines.fakes import Lifeline, fake, question, searched, until_searches
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


def is_legal(asked: Question, answer: EngineAnswer) -> bool:
    return asked.position.is_legal(answer.turn)


async def ask(spec: EngineSpec, asked: Question) -> EngineAnswer:
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
        ("rubbish", "protocol", "prints an invalid line"),
        ("no-turn", "protocol", "names no turn"),
        ("illegal", "protocol", "plays an illegal turn '99-99,99-98'"),
        ("resigns", "protocol", "plays an illegal turn 'resign'"),
        ("dies", "died", "status 3"),
        ("endless-line", "protocol", "a line of more than 65536 bytes"),
        ("refuses", "protocol", "refuses the position"),
    ],
)
async def test_a_fault_is_counted_and_the_fallback_plays(mode: str, kind: str, reason: str) -> None:
    asked = question("0-0")
    async with EnginePool(fake(mode), 1, SystemTime()) as pool:
        answer = await pool.ask(asked)
        assert answer.source == "fallback"
        assert reason in (answer.failure or "")
        assert is_legal(asked, answer)
        assert pool.health.failures == {kind: 1}
        assert pool.health.healthy


async def test_an_answer_has_the_time_of_go(tmp_path: Path) -> None:
    time = FakeTime()
    log = tmp_path / "log"
    async with EnginePool(fake("waits", "--log", log), 1, time) as pool:
        await eventually(lambda: pool.health.alive == 1)
        asked_at = time.monotonic()
        asking = asyncio.create_task(pool.ask(question()))
        await until_searches(log, 1)
        await time.advance(59.8)
        assert (await asking).asked_at == asked_at


@pytest.mark.parametrize(("hard_ms", "seconds"), [(60_000, 0.03), (8, 0.002)])
async def test_a_clock_that_is_nearly_empty_leaves_the_fallback_less_time(
    hard_ms: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    def noted(position: engine.Position, *args: Any, **more: Any) -> str:
        given.append(args[2])
        return fallback_turn(position, *args, **more)

    monkeypatch.setattr("bot.engines.pool.fallback_turn", noted)
    budget = Budget(think_ms=1, hard_ms=hard_ms, go="movetime 1")
    await ask(fake("dies"), replace(question("0-0"), budget=budget))
    assert given == [seconds]


@pytest.mark.parametrize(("mode", "was_asked"), [("dies", True), ("refuses", False)])
async def test_a_fallback_answer_records_whether_an_engine_was_asked(
    mode: str, was_asked: bool
) -> None:
    answer = await ask(fake(mode), question("0-0"))
    assert (answer.source, answer.asked_at is not None) == ("fallback", was_asked)


async def test_a_silent_engine_is_killed_with_its_children_and_replaced(tmp_path: Path) -> None:
    time, lifeline, state = FakeTime(), Lifeline(tmp_path), tmp_path / "state"
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    spec = fake("silent", "--times", 1, "--state", state, "--child", lifeline.path)
    async with EnginePool(spec, 1, time) as pool:
        first = asyncio.create_task(pool.ask(question("0-0")))
        # Killed before it had read `go`, it would not have been silent once.
        await eventually(lambda: state.exists() and state.read_text() == "x")
        await time.advance(60)
        assert (await first).source == "fallback"
        assert await gone
        assert pool.health.failures == {"late": 1}
        assert (await pool.ask(question())).source == "engine"
        assert pool.health.consecutive_failures == 0


async def test_an_engine_that_never_starts_leaves_the_fallback() -> None:
    asked, time = question("0-0"), FakeTime()
    async with EnginePool(fake("no-start"), 1, time) as pool:
        early = asyncio.create_task(pool.ask(asked))
        await eventually(lambda: pool.health.failures.get("start", 0) >= 2)
        assert "cannot find my network" in (pool.health.last_failure or "")
        await time.advance(1)
        await eventually(lambda: pool.health.failures["start"] >= 3)
        assert not pool.health.healthy
        assert (await early).source == "fallback"  # long before its own time is up
        answer = await pool.ask(asked)
        assert answer.source == "fallback"
        assert is_legal(asked, answer)


async def test_a_question_that_is_taken_back_stops_the_engine_and_keeps_the_process(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    async with EnginePool(fake("waits", "--log", log), 1, SystemTime()) as pool:
        asking = asyncio.create_task(pool.ask(question("0-0")))
        await eventually(lambda: searched(log) == ["0-0"])
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert pool.health.failures == {}
        assert pool.health.alive == 1


async def test_games_at_once_get_processes_of_their_own_up_to_the_size(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with EnginePool(fake("waits", "--log", log), 2, SystemTime()) as pool:
        asking = [asyncio.create_task(pool.ask(question(game_id=name))) for name in "ab"]
        await until_searches(log, 2)
        assert pool.health.alive == 2
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


async def test_an_invalid_question_is_an_error_of_the_caller() -> None:
    async with EnginePool(fake("silent"), 1, FakeTime()) as pool:
        with pytest.raises(ValueError, match="over"):
            await pool.ask(question("pass", "pass"))


# ---- turns that are not to be chosen -----------------------------------------------------------

EXCLUDE = "option name Exclude type string default"


async def test_exclusions_are_sent_to_an_engine_and_cleared_again(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    spec = fake("ok", "--log", log, "--option-line", EXCLUDE, "--turns", "0-0")
    async with EnginePool(spec, 1, SystemTime()) as pool:
        for excluded in (frozenset({"3-0,2-0", "1-1"}), frozenset[str]()):
            answer = await pool.ask(replace(question(), excluded=excluded))
            assert (answer.turn, answer.source) == ("0-0", "engine")
            assert answer.engine.options == {}
    told = [line for line in log.read_text().splitlines() if "Exclude" in line]
    assert told == ["setoption name Exclude value 1-1 3-0,2-0", "setoption name Exclude value"]


async def test_the_fallback_replaces_an_excluded_turn_without_blaming_the_engine() -> None:
    asked = replace(question("5-5"), excluded=frozenset({"3-5,3-0"}))
    async with EnginePool(fake("ok", "--turns", "x", "3-0,3-5"), 1, SystemTime()) as pool:
        answer = await pool.ask(asked)
        assert answer.source == "fallback"
        assert answer.failure == "chose 3-0,3-5, although it is excluded"
        assert is_legal(asked, answer)
        assert engine.stones_of(answer.turn) != engine.stones_of("3-0,3-5")
        assert pool.health.failures == {}
        assert pool.health.alive == 1
