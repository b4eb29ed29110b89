"""The time manager: never nothing, never more than there is, and more where there is more."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.daemon.time_manager import Moment, TimePolicy, expected_turns_left, live_wait, turn_budget
from bot.engines.questions import Budget
from bot.time_controls import (
    DAY_S,
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    PlayerClock,
    TimeControl,
    Untimed,
    full_clock,
    run_down,
    time_left_ms,
)
from tests.bot.controls import controls, timed_controls

PLAIN = TimePolicy(network_overhead_ms=0, reserve_ms=100, max_turn_s=3600)

policies = st.builds(
    TimePolicy,
    network_overhead_ms=st.integers(0, 1000),
    reserve_ms=st.integers(10, 2000),
    max_turn_s=st.floats(0.05, 3600),
    untimed_turn_s=st.floats(0.05, 3600),
)


def moment(control: TimeControl, clock: PlayerClock | None = None, **changes: int) -> Moment:
    mine = full_clock(control) if clock is None else clock
    start = Moment(
        control=control,
        clocks=(mine, full_clock(control)),
        to_play=1,
        elapsed_ms=0,
        turn_number=9,
        turns_left=20,
    )
    return replace(start, **changes)  # type: ignore[arg-type]


moments = st.builds(
    lambda control, used, elapsed, number, left: moment(
        control,
        run_down(control, full_clock(control), used),
        elapsed_ms=elapsed,
        turn_number=number,
        turns_left=left,
    ),
    controls,
    st.integers(0, 10**7),
    st.integers(-1000, 10**6),
    st.integers(1, 200),
    st.integers(-3, 100),
)


def is_out_by_correspondence(policy: TimePolicy, now: Moment) -> bool:
    """There a turn is played all the same, and gets what is never left to one in time."""
    left = now.clocks[0].main_ms
    if not isinstance(now.control, Correspondence) or left is None:
        return False
    return left - max(0, now.elapsed_ms) - policy.network_overhead_ms <= 1


@given(policies, moments)
def test_a_budget_is_positive_and_thinks_no_longer_than_the_deadline(
    policy: TimePolicy, now: Moment
) -> None:
    budget = turn_budget(policy, now)
    assert 1 <= budget.think_ms <= budget.hard_ms
    words = budget.go.split()
    numbers = [int(word) for word in words[1::2]]
    assert words[0] in {"movetime", "p1time"}
    assert numbers[0] >= 1


@given(policies, moments)
def test_a_live_turn_waits_for_an_engine_but_keeps_time_to_think(
    policy: TimePolicy, now: Moment
) -> None:
    assume(not isinstance(now.control, Correspondence))
    left = time_left_ms(now.control, now.clocks[0])
    wait = live_wait(policy, now)
    assert 0 <= wait.due_s <= wait.latest_s
    if left is not None:
        assert 1000 * wait.latest_s <= max(1, left)


@pytest.mark.parametrize(
    ("control", "left_s", "due_s", "latest_s"),
    [
        (Fischer(initial_s=300, increment_s=5), 290, 18.75, 288.3),
        (Fischer(initial_s=300, increment_s=5), 2, 2 * 0.6, 1.9 / 2),
        (PerTurn(turn_s=60), 60, 20, 58.3),
        (Untimed(), None, 20, 600),
    ],
)
def test_a_live_turn_waits_as_long_as_its_clock_allows(
    control: TimeControl, left_s: float | None, due_s: float, latest_s: float
) -> None:
    clock = None if left_s is None else PlayerClock(main_ms=round(1000 * left_s))
    found = live_wait(PLAIN, moment(control, clock))
    assert found.latest_s == pytest.approx(latest_s, abs=0.1)
    assert found.due_s == pytest.approx(min(due_s, latest_s), abs=0.1)


@given(policies, moments, st.floats(0.05, 60))
def test_no_turn_is_planned_beyond_what_the_scheduler_allows(
    policy: TimePolicy, now: Moment, at_most_s: float
) -> None:
    assume(not isinstance(now.control, Correspondence))
    budget = turn_budget(policy, now, at_most_s)
    assert (budget.stop_ms or budget.think_ms) <= 1000 * at_most_s + 1


@given(policies, moments)
def test_no_turn_is_planned_beyond_the_cap(policy: TimePolicy, now: Moment) -> None:
    assert turn_budget(policy, now).think_ms <= policy.max_turn_s * 1000 + 1


@given(policies, moments)
def test_the_deadline_is_before_the_flag_wherever_there_is_time(
    policy: TimePolicy, now: Moment
) -> None:
    left = time_left_ms(now.control, now.clocks[0])
    assume(left is not None)
    assert left is not None
    left -= max(0, now.elapsed_ms) + policy.network_overhead_ms
    assume(left >= 2)
    assert turn_budget(policy, now).hard_ms < left


@given(policies, timed_controls, st.integers(0, 10**7), st.integers(0, 10**7), st.integers(1, 60))
def test_more_time_left_never_means_a_shorter_think(
    policy: TimePolicy, control: TimeControl, one: int, other: int, turns: int
) -> None:
    less, more = sorted((one, other))
    assume(not is_out_by_correspondence(policy, moment(control, PlayerClock(main_ms=less))))
    periods = control.periods if isinstance(control, ByoYomi) else 0
    few, many = (
        turn_budget(
            policy,
            moment(control, PlayerClock(main_ms=main, periods=periods), turns_left=turns),
        )
        for main in (less, more)
    )
    assert few.think_ms <= many.think_ms


@given(policies, moments, st.integers(0, 10**5))
def test_a_message_that_came_earlier_leaves_less_to_think(
    policy: TimePolicy, now: Moment, longer: int
) -> None:
    earlier = replace(now, elapsed_ms=max(0, now.elapsed_ms) + longer)
    assume(not is_out_by_correspondence(policy, earlier))
    assert turn_budget(policy, earlier).hard_ms <= turn_budget(policy, now).hard_ms


def test_the_network_overhead_is_subtracted_once() -> None:
    control = PerTurn(turn_s=10)
    slow = PLAIN.model_copy(update={"network_overhead_ms": 700})
    assert (
        turn_budget(PLAIN, moment(control)).hard_ms - 700
        == turn_budget(slow, moment(control)).hard_ms
    )


@pytest.mark.parametrize(("left_ms", "hard_ms"), [(20_000, 500), (1000, 250), (100, 25)])
def test_an_engine_that_hangs_leaves_time_for_the_network_in_later_turns(
    left_ms: int, hard_ms: int
) -> None:
    """The network needs the whole clock, so a hanging engine must not take a large part of it."""
    slow = PLAIN.model_copy(update={"network_overhead_ms": 600})
    clock = PlayerClock(main_ms=left_ms + 600)
    now = moment(Absolute(initial_s=60), clock, most_turns_left=75)
    assert turn_budget(slow, now).hard_ms == hard_ms


def test_per_turn_time_is_used_nearly_up_because_it_is_lost_otherwise() -> None:
    budget = turn_budget(PLAIN, moment(PerTurn(turn_s=10)))
    assert budget == Budget(think_ms=9_700, hard_ms=9_900, go="movetime 9700")


def test_byo_yomi_stays_within_the_period() -> None:
    control = ByoYomi(main_s=0, period_s=10, periods=3)
    budget = turn_budget(PLAIN, moment(control))
    assert 8_000 <= budget.think_ms <= budget.hard_ms < 10_000
    assert budget.go == f"movetime {budget.think_ms}"


def test_byo_yomi_counts_what_the_turn_has_used_of_the_period() -> None:
    control = ByoYomi(main_s=0, period_s=10, periods=1)
    clock = run_down(control, full_clock(control), 7_000)
    assert turn_budget(PLAIN, moment(control, clock)).hard_ms < 3_000


def by_correspondence(left_s: float, policy: TimePolicy = PLAIN, at_most_s: float = 1e9) -> int:
    control = Correspondence(initial_s=DAY_S, increment_s=DAY_S, maximum_s=7 * DAY_S)
    clock = PlayerClock(main_ms=round(left_s * 1000))
    return turn_budget(policy, moment(control, clock), at_most_s).think_ms


def test_by_correspondence_the_time_grows_smoothly_with_the_clock() -> None:
    policy = TimePolicy(max_turn_s=60)
    hours = [1, 2, 4, 8, 24, 96]
    times = [by_correspondence(each * 3600, policy) for each in hours]
    assert times == sorted(times)
    assert times[2] == pytest.approx(30_000, rel=0.01)
    assert times[-1] > 57_000
    assert by_correspondence(60, policy) == 500, "the least"


def test_by_correspondence_there_may_be_a_cap_of_its_own() -> None:
    policy = TimePolicy(max_turn_s=2, correspondence_turn_s=300)
    assert 250_000 < by_correspondence(48 * 3600, policy) < 300_000


def test_by_correspondence_others_that_wait_leave_less() -> None:
    assert by_correspondence(48 * 3600, at_most_s=7.5) == 7_500
    assert by_correspondence(48 * 3600, at_most_s=0.0) == 500


def test_correspondence_does_not_think_for_days() -> None:
    control = Correspondence(initial_s=3 * DAY_S, increment_s=DAY_S, maximum_s=7 * DAY_S)
    policy = TimePolicy(max_turn_s=20)
    budget = turn_budget(policy, moment(control))
    assert 18_000 < budget.think_ms < 20_000
    assert budget.hard_ms < 60_000


def test_an_untimed_game_has_a_time_of_its_own() -> None:
    policy = TimePolicy(untimed_turn_s=2)
    assert turn_budget(policy, moment(Untimed())).go == "movetime 2000"


def test_an_engine_plans_a_roomy_clock_itself() -> None:
    control = Fischer(initial_s=300, increment_s=5)
    now = replace(moment(control), to_play=2, clocks=(PlayerClock(main_ms=7), full_clock(control)))
    budget = turn_budget(PLAIN, now)
    assert budget.go == "p1time 7 p2time 299900 p1inc 5000 p2inc 5000"
    assert budget.think_ms == 300_000 // 20 + 4_250


def test_an_engine_that_plans_is_stopped_at_the_maximum() -> None:
    control = Fischer(initial_s=300, increment_s=5)
    budget = turn_budget(PLAIN, moment(control))
    assert budget.stop_ms == 4 * budget.think_ms
    assert budget.stop_ms < budget.hard_ms
    policy = PLAIN.model_copy(update={"max_turn_s": 25})
    capped = turn_budget(policy, moment(control))
    assert capped.go == budget.go
    assert (capped.think_ms, capped.stop_ms) == (budget.think_ms, 25_000)


@given(policies, moments)
def test_the_maximum_is_within_the_cap_and_leaves_time_to_answer(
    policy: TimePolicy, now: Moment
) -> None:
    budget = turn_budget(policy, now)
    if budget.stop_ms is not None:
        assert budget.think_ms <= budget.stop_ms <= policy.max_turn_s * 1000 + 1
        assert budget.hard_ms - budget.stop_ms >= 200


@pytest.mark.parametrize("left_ms", [1, 50, 900, 3000])
def test_in_time_trouble_the_bot_sets_the_time(left_ms: int) -> None:
    control = Absolute(initial_s=300)
    budget = turn_budget(TimePolicy(), moment(control, PlayerClock(main_ms=left_ms), turns_left=2))
    assert budget.go == f"movetime {budget.think_ms}"


def test_a_cap_is_kept_by_setting_the_time() -> None:
    policy = TimePolicy(max_turn_s=2)
    budget = turn_budget(policy, moment(Fischer(initial_s=3600, increment_s=30)))
    assert budget.go == "movetime 2000"


def test_the_first_turns_take_half_a_share() -> None:
    control = Absolute(initial_s=100)
    first = turn_budget(PLAIN, moment(control, turn_number=1))
    assert first.think_ms * 2 == turn_budget(PLAIN, moment(control)).think_ms


def test_turns_left_never_says_that_the_game_is_over() -> None:
    assert expected_turns_left(76) == 19
    assert expected_turns_left(0) == 4
