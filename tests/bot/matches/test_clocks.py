"""The arguments of `go`, and how turns are charged."""

import asyncio

import pytest

from bot.matches.clocks import GRACE_MS, GameClocks, Lateness
from bot.time_controls import (
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    TimeControl,
    Untimed,
)
from bot.tournaments.model import Limit
from tests.fakes.time import FakeTime

PERIODS = ByoYomi(main_s=10, period_s=2, periods=3)


def clocks(control: TimeControl, nodes: int | None = None, margin_ms: int = 50) -> GameClocks:
    limit = Limit(clock=control, nodes=nodes)
    return GameClocks((limit, limit), margin_ms, patience_ms=7000)


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (Fischer(initial_s=9, increment_s=0.1), "p1time 9000 p2time 9000 p1inc 100 p2inc 100"),
        (
            Correspondence(initial_s=9, increment_s=1, maximum_s=20),
            "p1time 9000 p2time 9000 p1inc 1000 p2inc 1000",
        ),
        (Absolute(initial_s=9), "p1time 9000 p2time 9000 p1inc 0 p2inc 0"),
        (PERIODS, "p1time 12000 p2time 12000 p1inc 2000 p2inc 2000"),
        (PerTurn(turn_s=0.1), "movetime 100"),
    ],
)
def test_each_time_control_has_its_arguments_of_go(control: TimeControl, words: str) -> None:
    assert clocks(control).budget(1).go == words


def test_an_engine_gets_stop_when_its_flag_falls_and_then_a_grace_period() -> None:
    budget = clocks(Absolute(initial_s=9)).budget(2)
    assert (budget.stop_ms, budget.hard_ms) == (9050, 9050 + GRACE_MS)


def test_with_nodes_no_clock_runs() -> None:
    by_nodes = clocks(Fischer(initial_s=9, increment_s=1), nodes=800)
    budget = by_nodes.budget(1)
    assert (budget.go, budget.hard_ms, budget.stop_ms) == ("nodes 800", 7000, None)
    assert by_nodes.overrun_ms(1, 1_000_000) == 0
    by_nodes.charge(1, 1_000_000)
    assert by_nodes.clock(1) is None


def test_an_engine_gets_both_clocks_although_they_differ() -> None:
    slow, quick = Fischer(initial_s=60, increment_s=1), Fischer(initial_s=6, increment_s=0.1)
    odds = GameClocks((Limit(clock=slow), Limit(clock=quick)), margin_ms=0, patience_ms=7000)
    assert odds.budget(1).go == "p1time 60000 p2time 6000 p1inc 1000 p2inc 100"
    odds.charge(2, 2000)
    assert odds.budget(2).go == "p1time 60000 p2time 4100 p1inc 1000 p2inc 100"
    assert (odds.overrun_ms(1, 5000), odds.overrun_ms(2, 5000)) == (0, 900)


def test_one_player_may_have_nodes_and_the_other_a_clock() -> None:
    odds = GameClocks((Limit(nodes=50), Limit(clock=PerTurn(turn_s=0.1))), 0, patience_ms=7000)
    assert (odds.budget(1).go, odds.budget(2).go) == ("nodes 50", "movetime 100")


def test_a_turn_without_a_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="a clock, or nodes"):
        clocks(Untimed()).budget(1)


def test_a_turn_is_charged_to_the_clock_of_its_seat() -> None:
    game = clocks(Fischer(initial_s=9, increment_s=1))
    game.charge(2, 4000)
    assert (game.left_ms(1), game.left_ms(2)) == (9000, 6000)
    assert game.budget(1).go == "p1time 9000 p2time 6000 p1inc 1000 p2inc 1000"


def test_the_margin_and_the_hosts_own_delay_forgive_an_overrun() -> None:
    game = clocks(PerTurn(turn_s=1))
    assert [game.overrun_ms(1, used) for used in (1000, 1050, 1051)] == [0, 0, 51]
    assert game.overrun_ms(1, 1300, host_late_ms=250) == 0
    assert game.overrun_ms(1, 1301, host_late_ms=250) == 301
    game.charge(1, 1050)
    assert game.left_ms(1) == 1000


def test_in_byo_yomi_go_has_one_period_and_lost_periods_stay_lost() -> None:
    game = clocks(PERIODS)
    game.charge(1, 13_000)
    assert game.budget(1).go == "movetime 2000"
    assert game.left_ms(1) == 4000
    game.charge(1, 1900)
    assert game.left_ms(1) == 4000
    game.charge(1, 4020)
    assert game.left_ms(1) == 2000


async def test_the_worst_delay_counts_only_since_a_moment() -> None:
    time = FakeTime()
    lateness = Lateness(time)
    watching = asyncio.create_task(lateness.watch())
    await time.advance(1)
    assert lateness.worst_ms(0) == 0
    await time.jump(0.32)
    assert 300 <= lateness.worst_ms(0) <= 320
    await time.advance(1)
    assert lateness.worst_ms(time.monotonic() - 0.5) == 0
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
