"""Time inside the engine: every budget is positive and within the clock."""

from hypothesis import given
from hypothesis import strategies as st

from engine.contract import Candidate, Limits
from engine.search.budget import TurnPlan, plan
from engine.search.thinking import is_challenged, is_decided


@given(
    clock=st.floats(0.2, 10_000),
    increment=st.floats(0, 60),
    to_go=st.none() | st.integers(1, 60),
    steps=st.integers(1, 400),
)
def test_a_clock_is_never_overdrawn(
    clock: float, increment: float, to_go: int | None, steps: int
) -> None:
    budget = plan(Limits(clock=clock, increment=increment, turns_to_go=to_go), steps)
    assert budget.recommended is not None
    assert budget.maximum is not None
    assert 0 < budget.minimum < budget.recommended <= budget.maximum < clock


@given(seconds=st.floats(0.001, 1000))
def test_a_fixed_time_is_used_but_for_a_reserve(seconds: float) -> None:
    budget = plan(Limits(turn_time=seconds), 50)
    assert budget.recommended is not None
    assert budget.minimum == budget.recommended == budget.maximum
    assert 0.85 * seconds < max(budget.minimum, 0.005) <= max(seconds, 0.005)


@given(seconds=st.floats(0.02, 1000), overrun=st.floats(0, 10))
def test_a_machine_that_answers_late_reserves_more(seconds: float, overrun: float) -> None:
    for limits in (Limits(turn_time=seconds), Limits(clock=seconds, turns_to_go=1)):
        usual, early = plan(limits, 50).maximum, plan(limits, 50, overrun).maximum
        assert usual is not None
        assert early is not None
        assert 0.5 * seconds <= early <= usual or seconds < 0.06
        assert early <= max(0.6 * seconds, seconds - overrun, 0.005) + 1e-9


def test_nodes_and_no_limit_at_all() -> None:
    assert plan(Limits(nodes=5), 50) == TurnPlan(nodes=5)
    assert plan(Limits(), 50) == TurnPlan()


def test_an_answer_is_decided_or_challenged() -> None:
    first, second = Candidate("a", 0.6, 100, ("a",)), Candidate("b", 0.7, 60, ("b",))
    assert is_decided((first, second), playouts_left=39)
    assert not is_decided((first, second), playouts_left=41)
    assert is_decided((first,), playouts_left=1000)
    assert not is_decided((), playouts_left=0)
    assert is_challenged((first, second))
    assert not is_challenged((second, first))
