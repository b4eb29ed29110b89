"""Thinking on the opponent's time: on the expected turn, and never at anybody's cost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

import engine
from bot.engines.pondering import stopped_in_time
from bot.engines.pool import EnginePool
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget, EngineAnswer, Question
from bot.engines.spec import EngineSpec
from bot.time_source import SystemTime, TimeSource
from tests.bot.engines.fakes import AMPLE, Lifeline, fake, question
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

OWN, REPLY, NEXT, OTHER = "0-0", "5-0,5-2", "1-0,3-0", "4-0,4-2"
SHORT = Budget(think_ms=1000, hard_ms=3000, go="movetime 1000")


def heard(log: Path) -> list[str]:
    """What the engine was told of positions and searches."""
    words = ("position", "go", "stop", "ponderhit")
    lines = log.read_text().splitlines() if log.exists() else []
    return [line for line in lines if line.split()[0] in words]


async def until_heard(log: Path, *lines: str) -> None:
    """Until these are the last lines that it heard."""
    await eventually(lambda: heard(log)[-len(lines) :] == [*lines])


class Table:
    """A game of one user at a pool, after its own first turn."""

    def __init__(self, pool: EnginePool, log: Path) -> None:
        self.pool = pool
        self.log = log

    async def begin(self) -> None:
        """Have a turn chosen, and the engine think on."""
        answer = await self.pool.ask(question())
        assert answer.ponder == REPLY
        assert answer.pondered is None
        self.pool.ponder(question(OWN, REPLY))
        await until_heard(
            self.log, f"position startpos moves {OWN} {REPLY}", f"go ponder {AMPLE.go}"
        )

    async def ask(self, reply: str = REPLY) -> EngineAnswer:
        return await self.pool.ask(question(OWN, reply))


@asynccontextmanager
async def table(
    folder: Path,
    mode: str = "ponders",
    *arguments: object,
    size: int = 1,
    time: TimeSource | None = None,
) -> AsyncIterator[Table]:
    log = folder / "log"
    spec = fake(mode, "--log", log, "--turns", OWN, REPLY, NEXT, *arguments, ponder=True)
    async with EnginePool(spec, size, time or SystemTime()) as pool:
        await eventually(lambda: pool.health.alive == 1)
        yield Table(pool, log)


async def test_the_expected_turn_is_answered_by_the_continued_search(tmp_path: Path) -> None:
    async with table(tmp_path) as at:
        await at.begin()
        answer = await at.ask()
        assert (answer.turn, answer.source, answer.pondered) == (NEXT, "engine", "hit")
        assert answer.pondered_ms is not None
        assert answer.asked_at is not None
        assert heard(at.log)[-2:] == [f"go ponder {AMPLE.go}", "ponderhit"]
        assert (await at.pool.ask(question(game_id="other"))).source == "engine"


async def test_the_order_of_the_stones_does_not_matter(tmp_path: Path) -> None:
    async with table(tmp_path) as at:
        await at.begin()
        assert (await at.ask("5-2,5-0")).pondered == "hit"


async def test_after_another_turn_the_real_position_is_asked_about(tmp_path: Path) -> None:
    async with table(tmp_path, size=2) as at:
        await at.begin()
        answer = await at.ask(OTHER)
        assert (answer.turn, answer.source, answer.pondered) == (NEXT, "engine", "miss")
        position = f"position startpos moves {OWN} {OTHER}"
        last = heard(at.log)[-3:]
        assert last[:2] == ["stop", position]
        assert last[2].startswith("go movetime")
        assert at.pool.health.alive == 1
        assert at.pool.health.failures == {}


async def test_a_bug_while_pondering_costs_no_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ponder(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    async with table(tmp_path) as at:
        await at.pool.ask(question())
        monkeypatch.setattr(EngineProcess, "ponder", ponder)
        with capture_logs() as log:
            at.pool.ponder(question(OWN, REPLY))
            await eventually(lambda: "engine_pool_bug" in [each["event"] for each in log])
        assert (await at.ask()).source == "engine"
        assert at.pool.health.failures == {}


async def test_without_the_setting_no_engine_ponders(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with EnginePool(fake("ponders", "--log", log), 1, SystemTime()) as pool:
        await pool.ask(question())
        pool.ponder(question(OWN, REPLY))
        assert (await pool.ask(question(OWN, REPLY))).pondered is None
    assert not any("ponder" in line for line in heard(log))


async def test_only_the_process_that_played_ponders(tmp_path: Path) -> None:
    async with table(tmp_path) as at:
        at.pool.ponder(question(OWN, REPLY))
        assert (await at.ask()).pondered is None


async def test_another_game_takes_the_process_at_once(tmp_path: Path) -> None:
    async with table(tmp_path) as at:
        await at.begin()
        other = await at.pool.ask(question("2-0", game_id="other"))
        assert other.source == "engine"
        assert heard(at.log)[-3:-1] == ["stop", "position startpos moves 2-0"]
        assert (await at.ask()).pondered == "broken_off"
        assert at.pool.health.failures == {}
        assert at.pool.health.alive == 1


async def test_pondering_does_not_delay_a_waiting_turn(tmp_path: Path) -> None:
    """A turn is over while another game waits: that one is next, and not the pondering."""
    log, time = tmp_path / "log", FakeTime()
    spec = fake("waits", "--log", log, ponder=True)
    async with EnginePool(spec, 1, time) as pool:
        await eventually(lambda: pool.health.alive == 1)
        first = asyncio.create_task(pool.ask(Question("g", question().position, SHORT)))
        await eventually(lambda: heard(log)[-1:] == ["go movetime 1000"])
        second = asyncio.create_task(pool.ask(question("2-0", game_id="other")))
        await time.settle()
        pool.ponder(question(OWN, REPLY))
        await time.advance(2.75)
        await first
        await eventually(lambda: "position startpos moves 2-0" in heard(log))
        pool.ponder(question(OWN, REPLY))
        assert not any("ponder" in line for line in heard(log))
        second.cancel()
        await asyncio.wait({second})


async def test_two_games_ponder_and_two_others_take_their_places(tmp_path: Path) -> None:
    async with table(tmp_path, size=2) as at:
        asked = [replace(question(), game_id=name) for name in "ab"]
        first = await asyncio.gather(*(at.pool.ask(each) for each in asked))
        assert {each.source for each in first} == {"engine"}
        await eventually(lambda: at.pool.health.alive == 2)
        for each in asked:  # one of them may have played both
            await at.pool.ask(each)
            at.pool.ponder(question(OWN, REPLY, game_id=each.game_id))
        others = [question("2-0", game_id=name) for name in "cd"]
        answers = await asyncio.gather(*(at.pool.ask(each) for each in others))
        assert {each.source for each in answers} == {"engine"}
        assert at.pool.health.alive == 2
        assert at.pool.health.failures == {}


# ---- time --------------------------------------------------------------------------------------


async def begun_slowly(at: Table, time: FakeTime) -> None:
    """Begin with an engine that answers only when it has to."""
    first = asyncio.create_task(at.pool.ask(question()))
    await until_heard(at.log, f"go {AMPLE.go}")
    await time.advance(59.8)
    await first
    at.pool.ponder(question(OWN, REPLY))
    await until_heard(at.log, f"go ponder {AMPLE.go}")


async def test_the_budget_counts_from_the_turn_and_the_host_ends_it(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, "waits", time=time) as at:
        await begun_slowly(at, time)
        await time.advance(500)
        asking = asyncio.create_task(at.pool.ask(replace(question(OWN, REPLY), budget=SHORT)))
        await until_heard(at.log, "ponderhit")
        await time.advance(0.999)
        assert heard(at.log)[-1] == "ponderhit"
        await time.advance(0.001)
        answer = await asking
        assert (answer.pondered, answer.pondered_ms) == ("hit", 500_000)
        assert answer.time_ms == 1000
        assert heard(at.log)[-1] == "stop"


async def test_an_engine_cancelled_after_a_hit_stops_and_is_kept(tmp_path: Path) -> None:
    time = FakeTime()
    async with table(tmp_path, "waits", time=time) as at:
        await begun_slowly(at, time)
        asking = asyncio.create_task(at.ask())
        await until_heard(at.log, "ponderhit")
        asking.cancel()
        await asyncio.wait({asking})
        await until_heard(at.log, "ponderhit", "stop")
        assert (at.pool.health.alive, at.pool.health.failures) == (1, {})


def test_a_limit_of_its_own_clock_is_left_to_the_engine() -> None:
    planned = Budget(1000, 5000, "p1time 60000 p2time 60000 p1inc 0 p2inc 0")
    assert stopped_in_time(planned) == planned
    assert stopped_in_time(SHORT).stop_ms == 1000
    assert stopped_in_time(replace(SHORT, stop_ms=7)).stop_ms == 7


async def test_an_engine_that_does_not_answer_ponderhit_is_killed_at_the_deadline(
    tmp_path: Path,
) -> None:
    time, lifeline = FakeTime(), Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    more = ("--child", lifeline.path, "--state", tmp_path / "state")
    async with table(tmp_path, "ponders-for-ever", *more, time=time) as at:
        (tmp_path / "state").write_text("")  # the next process has no child
        await at.begin()
        asking = asyncio.create_task(at.pool.ask(replace(question(OWN, REPLY), budget=SHORT)))
        await until_heard(at.log, "ponderhit")
        await time.advance(2.999)
        assert not asking.done()
        await time.advance(0.001)
        answer = await asking
        assert await gone
        assert (answer.source, answer.pondered) == ("fallback", "hit")
        assert at.pool.health.failures == {"late": 1}


# ---- faults ------------------------------------------------------------------------------------


async def test_an_engine_that_does_not_stop_is_killed_and_another_one_answers(
    tmp_path: Path,
) -> None:
    time, lifeline, state = FakeTime(), Lifeline(tmp_path), tmp_path / "state"
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    more = ("--child", lifeline.path, "--state", state)
    async with table(tmp_path, "ponders-on", *more, time=time) as at:
        state.write_text("")  # the next process has no child
        await at.begin()
        asking = asyncio.create_task(at.pool.ask(question("2-0", game_id="other")))
        await until_heard(at.log, "stop")
        await time.advance(1)
        assert await gone
        answer = await asking
        assert answer.source == "engine"
        assert at.pool.health.failures == {"late": 1}


async def test_an_engine_that_dies_while_pondering_is_restarted_for_the_next_turn(
    tmp_path: Path,
) -> None:
    async with table(tmp_path, "dies-pondering") as at:
        await at.pool.ask(question())
        at.pool.ponder(question(OWN, REPLY))
        await eventually(lambda: at.pool.health.failures == {"died": 1})
        answer = await at.ask()
        assert (answer.source, answer.pondered) == ("engine", "broken_off")


async def test_an_engine_that_cannot_ponder_is_spared_it_in_the_end(tmp_path: Path) -> None:
    async with table(tmp_path, "dies-pondering", time=SystemTime()) as at:
        for failures in (1, 2, 3):
            await eventually(lambda: at.pool.health.alive == 1)
            assert (await at.pool.ask(question())).source == "engine"
            at.pool.ponder(question(OWN, REPLY))
            await eventually(lambda: at.pool.health.failures.get("died") == failures)  # noqa: B023
        assert (await at.pool.ask(question())).source == "engine"
        at.pool.ponder(question(OWN, REPLY))
        assert (await at.ask()).pondered is None
        assert at.pool.health.failures == {"died": 3}


async def test_an_engine_that_dies_at_ponderhit_is_spared_it_in_the_end(tmp_path: Path) -> None:
    async with table(tmp_path, "dies-at-ponderhit") as at:
        for _ in range(3):
            await eventually(lambda: at.pool.health.alive == 1)
            await at.begin()
            answer = await at.ask()
            assert (answer.source, answer.pondered) == ("fallback", "hit")
        await eventually(lambda: at.pool.health.alive == 1)
        await at.pool.ask(question())
        at.pool.ponder(question(OWN, REPLY))
        answer = await at.ask()
        assert (answer.source, answer.pondered) == ("engine", None)
        assert at.pool.health.failures == {"died": 3}


async def test_an_illegal_turn_before_ponderhit_does_not_cost_the_turn(tmp_path: Path) -> None:
    async with table(tmp_path, "illegal-while-pondering") as at:
        await at.begin()
        await eventually(lambda: at.pool.health.failures == {"protocol": 1})
        answer = await at.ask()
        assert (answer.source, answer.pondered) == ("engine", "broken_off")


async def test_a_turn_that_waits_for_a_stop_does_not_delay_a_hit(tmp_path: Path) -> None:
    """Of two engines that ponder, one is to stop for a third game, and does not."""
    time = FakeTime()
    async with table(tmp_path, "ponders-on", size=2, time=time) as at:
        asked = [replace(question(), game_id=name) for name in "ab"]
        await asyncio.gather(*(at.pool.ask(each) for each in asked))
        await eventually(lambda: at.pool.health.alive == 2)
        for each in asked:  # one of them may have played both
            await at.pool.ask(each)
            at.pool.ponder(question(OWN, REPLY, game_id=each.game_id))
        await eventually(lambda: heard(at.log).count(f"go ponder {AMPLE.go}") == 2)
        third = asyncio.create_task(at.pool.ask(question("2-0", game_id="c")))
        await until_heard(at.log, "stop")
        answer = await at.pool.ask(question(OWN, REPLY, game_id="b"))
        assert (answer.source, answer.pondered) == ("engine", "hit")
        await time.advance(1)
        assert (await third).source == "engine"


async def test_an_answer_before_ponderhit_is_kept_until_then(tmp_path: Path) -> None:
    async with table(tmp_path, "ok") as at:
        await at.begin()
        answer = await at.ask()
        assert (answer.turn, answer.pondered, answer.time_ms < 1000) == (NEXT, "hit", True)
        assert "ponderhit" not in heard(at.log)


# ---- the end of it -----------------------------------------------------------------------------


async def test_a_game_that_is_over_is_thought_about_no_more(tmp_path: Path) -> None:
    async with table(tmp_path) as at:
        await at.begin()
        at.pool.forget("g")
        await until_heard(at.log, "stop")


async def test_a_turn_without_a_choice_ends_it(tmp_path: Path) -> None:
    async with table(tmp_path) as at:
        await at.begin()
        position = engine.game("bluestone", "pent-4").start()
        turns = list(position.legal_turns())
        asked = Question("g", position, AMPLE, frozenset(turns[1:]))
        answer = await at.pool.ask(asked)
        assert (answer.turn, answer.source, answer.pondered) == (turns[0], "forced", "miss")
        await until_heard(at.log, "stop")


# ---- the built-in engine -----------------------------------------------------------------------


@pytest.mark.parametrize("is_expected", [True, False], ids=["hit", "miss"])
async def test_the_built_in_engine_ponders(is_expected: bool) -> None:
    game = engine.game("bluestone", "pent-4")
    spec = EngineSpec(ponder=True, options={"Hash": "16", "Seed": "1"})
    quick = Budget(30_000, 60_000, "nodes 300")
    async with EnginePool(spec, 1, SystemTime()) as pool:
        own = await pool.ask(Question("g", game.start(), quick))
        assert own.ponder is not None
        after = game.start().play(own.turn)
        expected = after.play(own.ponder)
        other = next(
            turn
            for turn in after.legal_turns()
            if engine.stones_of(turn) != engine.stones_of(own.ponder)
        )
        pool.ponder(Question("g", expected, quick))
        real = expected if is_expected else after.play(other)
        answer = await pool.ask(Question("g", real, quick))
        assert (answer.source, answer.pondered) == ("engine", "hit" if is_expected else "miss")
        assert real.is_legal(answer.turn)
        assert pool.health.failures == {}
