"""The sequential test, compared with known values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.tournaments.sprt import Bounds, log_likelihood_ratio

WIDE = Bounds(0, 200, alpha=0.1, beta=0.1)


@pytest.mark.parametrize(
    ("pairs", "bounds", "ratio"),
    [
        ((223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
        ((871, 26175, 55983, 26678, 821), (0, 2), -4.98),
    ],
)
def test_likelihood_ratios_are_those_of_fastchess(
    pairs: tuple[int, ...], bounds: tuple[float, float], ratio: float
) -> None:
    """From fastchess' tests, `app/tests/sprt_test.cpp`: "logistic pentanomial 1" and "2"."""
    assert log_likelihood_ratio(np.array(pairs), Bounds(*bounds)) == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize(
    ("pairs", "bounds", "ratio"),
    [
        ((365, 16618, 36229, 16974, 390), (0, 2), 2.25),
        ((127, 4883, 10712, 5150, 104), (-1.75, 0.25), 3.01),
    ],
)
def test_normalised_likelihood_ratios_are_those_of_fastchess(
    pairs: tuple[int, ...], bounds: tuple[float, float], ratio: float
) -> None:
    """From the same file: "normalized pentanomial 1" and "2", to the same 1 %."""
    found = log_likelihood_ratio(np.array(pairs), Bounds(*bounds, model="normalised"))
    assert found == pytest.approx(ratio, rel=0.01)


@given(st.lists(st.integers(0, 60), min_size=5, max_size=5), st.floats(-199, 199))
def test_every_normalised_test_has_a_ratio(pairs: list[int], elo: float) -> None:
    bounds = Bounds(elo, elo + 1, model="normalised")
    turned = Bounds(-elo - 1, -elo, model="normalised")
    ratio = float(log_likelihood_ratio(np.array(pairs), bounds))
    assert np.isfinite(ratio)
    opposite = float(log_likelihood_ratio(np.array(pairs[::-1]), turned))
    assert opposite == pytest.approx(-ratio, rel=1e-3, abs=1e-3)


def test_each_row_of_counts_has_its_own_ratio() -> None:
    pairs = np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
    both = log_likelihood_ratio(pairs, WIDE)
    assert both.shape == (2,)
    assert both[1] == pytest.approx(float(log_likelihood_ratio(pairs[1], WIDE)))
    assert both[1] < 0 < both[0]


def test_the_bounds_are_those_of_wald() -> None:
    bounds = Bounds(0, 5)
    assert bounds.lower == pytest.approx(-2.944, abs=1e-3)
    assert bounds.upper == pytest.approx(2.944, abs=1e-3)
    assert (bounds.verdict(2.95), bounds.verdict(-2.95), bounds.verdict(0)) == ("H1", "H0", None)


@pytest.mark.parametrize("wrong", [(5, 5, 0.05, 0.05), (0, 5, 0, 0.05), (0, 5, 0.5, 0.5)])
def test_bounds_that_test_nothing_are_refused(wrong: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"elo1|alpha"):
        Bounds(*wrong)
