"""What turns cost on the network, and that no long game is lost on time because of it."""

import random
from dataclasses import replace
from functools import cache

import pytest

import engine
from bot.daemon.network_delay import LONGEST_MS, NetworkDelay
from bot.daemon.time_manager import TimePolicy, moment_of, turn_budget
from bot.platforms.base import GameFacts, GameOutcome
from bot.time_controls import (
    ByoYomi,
    Fischer,
    PerTurn,
    PlayerClock,
    TimeControl,
    charge,
    full_clock,
    parse_time_control,
)
from tests.fakes.platform import SETUP, facts

POLICY = TimePolicy()
ABSOLUTE = parse_time_control("60")


def with_clock(control: TimeControl, main_ms: int) -> GameFacts:
    told = facts(setup=replace(SETUP, control=control))
    return replace(told, clocks=(PlayerClock(main_ms=main_ms), full_clock(control)))


def delay_after(*turns: tuple[int, float, int], control: TimeControl = ABSOLUTE) -> int:
    """The delay that is planned for after turns: clock before, seconds of thought, clock after."""
    delay = NetworkDelay()
    for before, thought_s, after in turns:
        delay.note(with_clock(control, before), thought_s, with_clock(control, after))
    return delay.applied_to(POLICY).network_overhead_ms


def test_what_the_clock_lost_beyond_our_thinking_is_the_delay() -> None:
    assert delay_after((60_000, 2.0, 57_400)) == 600
    assert delay_after((60_000, 2.0, 60_400), control=Fischer(initial_s=60, increment_s=3)) == 600


def test_a_quick_network_leaves_the_delay_that_the_operator_expects() -> None:
    assert delay_after() == POLICY.network_overhead_ms
    assert delay_after((60_000, 2.0, 57_990)) == POLICY.network_overhead_ms
    assert delay_after((60_000, 2.0, 60_000)) == POLICY.network_overhead_ms


def test_one_slow_turn_among_many_does_not_count() -> None:
    usual = [(60_000, 1.0, 58_800)] * 7
    assert delay_after(*usual, (60_000, 1.0, 57_500)) == 200
    assert delay_after(*usual, *[(60_000, 1.0, 58_500)] * 3) == 500


def test_an_interruption_is_no_delay_to_plan_with() -> None:
    assert delay_after((60_000, 1.0, 29_000)) == LONGEST_MS


@pytest.mark.parametrize("control", [PerTurn(turn_s=60), ByoYomi(main_s=60, period_s=5, periods=1)])
def test_other_clocks_measure_nothing(control: TimeControl) -> None:
    assert delay_after((60_000, 1.0, 57_000), control=control) == POLICY.network_overhead_ms


def test_the_end_of_a_game_measures_nothing() -> None:
    delay, before = NetworkDelay(), with_clock(ABSOLUTE, 60_000)
    delay.note(before, 1.0, replace(before, outcome=GameOutcome(1, "resignation")))
    over = replace(with_clock(ABSOLUTE, 50_000), outcome=GameOutcome(1, "resignation"))
    delay.note(before, 1.0, over)
    assert delay.applied_to(POLICY) is POLICY


# ---- whole games by a simulated clock ----------------------------------------------------------


@cache
def positions() -> list[engine.Position]:
    """The positions in which x is to move, in a game of HeXO of 150 turns."""
    chance, found = random.Random(1), [engine.game("hexo", cap=0).start()]
    while len(found) < 150:
        found.append(found[-1].play(found[-1].random_turn(chance)))
    return found[::2]


def left_after_games(
    control: TimeControl, way_ms: int, policy: TimePolicy, seed: int, turns: int = 150
) -> int:
    """Play our turns of a game, and return the least time that the server's clock showed.

    A twentieth of the clock is gone before the bot has dialled. In the first turn the engine still
    compiles until it is stopped, and in a later one a proof runs on up to the deadline. Now and
    then the engine thinks up to its maximum.
    """
    chance, delay = random.Random(seed), NetworkDelay()
    full_ms = full_clock(control).main_ms
    assert full_ms is not None
    least = full_ms * 19 // 20
    clock = PlayerClock(main_ms=least)
    for number, position in enumerate(positions()[: turns // 2]):
        assert clock.main_ms is not None
        told = with_clock(control, clock.main_ms)
        budget = turn_budget(delay.applied_to(policy), moment_of(told, position, 0))
        thought_ms = budget.think_ms
        if number == 0:
            thought_ms = min(budget.hard_ms, (budget.stop_ms or budget.think_ms) + 200)
        elif number == 40:
            thought_ms = budget.hard_ms
        elif chance.random() < 0.1:
            thought_ms = budget.stop_ms or budget.think_ms
        jitter = chance.randint(0, way_ms // 10)
        spent = thought_ms + 2 * way_ms + jitter
        least = min(least, clock.main_ms - spent)
        clock = charge(control, clock, spent)
        if clock.flagged:
            return least
        assert clock.main_ms is not None
        delay.note(told, thought_ms / 1000, with_clock(control, clock.main_ms))
    return least


@pytest.mark.parametrize(
    ("text", "way_ms"),
    [
        ("60+0.1", 300),
        ("60+0", 300),
        ("60+0", 30),
        ("10+0", 50),
        ("180+2", 300),
        ("3+0", 10),
        ("1+0", 2),
    ],
)
@pytest.mark.parametrize("reserve_ms", [300, 1000])
def test_a_game_of_150_turns_is_not_lost_on_time(text: str, way_ms: int, reserve_ms: int) -> None:
    policy = POLICY.model_copy(update={"reserve_ms": reserve_ms})
    control = parse_time_control(text)
    assert min(left_after_games(control, way_ms, policy, seed) for seed in range(5)) > 0


def test_a_clock_that_the_network_eats_lasts_nearly_as_long_as_it_can() -> None:
    """With 300 ms each way, 9.5 s are gone after 15 turns of ours without any thinking."""
    control = parse_time_control("10+0")
    assert min(left_after_games(control, 300, POLICY, seed, turns=26) for seed in range(5)) > 0


def test_there_is_still_time_to_think_on_a_slow_network() -> None:
    delay, told = NetworkDelay(), with_clock(ABSOLUTE, 60_000)
    delay.note(told, 1.0, with_clock(ABSOLUTE, 58_400))
    budget = turn_budget(delay.applied_to(POLICY), moment_of(told, positions()[1], 0))
    assert budget.think_ms > 500
