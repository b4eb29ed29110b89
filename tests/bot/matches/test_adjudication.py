"""The judge evaluates positions for the host."""

import pytest

import engine
from bot.engines.spec import EngineSpec
from bot.errors import HostError
from bot.matches.adjudication import ResultJudge
from bot.time_source import SystemTime
from tests.bot.engines.fakes import after, fake


async def test_the_judge_gives_the_same_answer_to_the_same_question() -> None:
    judge = ResultJudge(SystemTime(), nodes=200)
    position = engine.game("bluestone", "pent-4").start()
    first = await judge.chance(position)
    await judge.chance(position.play(next(position.legal_turns())))
    assert await judge.chance(position) == first
    await judge.close()


async def test_the_chance_is_that_of_the_first_player() -> None:
    judge = ResultJudge(SystemTime(), 1, fake("ok", "--turns", "0-0", "--winrate", "0.8"))
    assert await judge.chance(after()) == 0.8
    assert await judge.chance(after("0-0")) == pytest.approx(0.2)
    over = engine.play_out(engine.game("bluestone", "pent-3"))
    assert await judge.chance(over) == {1: 1.0, 2: 0.0, None: 0.5}[over.winner]
    await judge.close()


@pytest.mark.parametrize("spec", [fake("dies"), fake("no-start"), EngineSpec(command=["/no"])])
async def test_a_failure_of_the_judge_is_an_error_of_the_host(spec: EngineSpec) -> None:
    judge = ResultJudge(SystemTime(), 1, spec)
    for _ in range(2):
        with pytest.raises(HostError, match="the host's own engine fails"):
            await judge.chance(after())
