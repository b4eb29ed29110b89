"""What is left of a budget when an engine could not be asked at once."""

from bot.engines.questions import Budget


def test_waiting_for_an_engine_comes_out_of_the_budget() -> None:
    budget = Budget(think_ms=900, hard_ms=1000, go="movetime 900")
    assert budget.after(0) == budget
    assert budget.after(600) == Budget(think_ms=320, hard_ms=400, go="movetime 320")
    assert budget.after(5000) == Budget(think_ms=1, hard_ms=1, go="movetime 1")


def test_waiting_leaves_a_node_limit_alone() -> None:
    assert Budget(100, 1000, "nodes 50").after(950).go == "nodes 50"
