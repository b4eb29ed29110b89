"""Student's t, against printed tables."""

import pytest

from bot.tournaments.student import probability, quantile


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980), (1e4, 1.960)],
)
def test_quantiles_are_those_of_the_tables(freedom: float, expected: float) -> None:
    assert quantile(0.975, freedom) == pytest.approx(expected, abs=1e-3)
    assert probability(-expected, freedom) == pytest.approx(0.025, abs=1e-4)


def test_the_middle_is_0() -> None:
    assert probability(0, 3) == 0.5
    assert probability(60, 1e4) == 1
